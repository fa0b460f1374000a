import type { Clock, LocalAddress, Random } from "@verbena/core/sdk";
import { addressKey } from "../wire/acm-address.js";

/** Hosts that come up together do not speak together. */
const SPREAD_MS = 200;
/** Once more, since a multicast packet may be lost and nobody acknowledges it. */
const AGAIN_MS = 1_000;

/** Tells the group of own addresses: when the endpoint becomes ready, and when an address comes. */
export class Announcer {
  readonly #due = new Map<string, () => void>();

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly announce: (address: LocalAddress) => void,
  ) {}

  /** Soon, and once more a second later. */
  tell(address: LocalAddress): void {
    this.#plan(address, SPREAD_MS * this.random(), () => {
      this.announce(address);
      this.#plan(address, AGAIN_MS, () => {
        this.#due.delete(addressKey(address));
        this.announce(address);
      });
    });
  }

  /** It has gone: nothing more is said of it. */
  forget(address: LocalAddress): void {
    const key = addressKey(address);
    this.#due.get(key)?.();
    this.#due.delete(key);
  }

  close(): void {
    for (const cancel of this.#due.values()) cancel();
    this.#due.clear();
  }

  #plan(address: LocalAddress, delayMs: number, then: () => void): void {
    this.forget(address);
    this.#due.set(addressKey(address), this.clock.schedule(delayMs, then));
  }
}
