import type { DatagramAddress } from "@verbena/core/sdk";
import { addressKey } from "../../engine/ip.js";
import type { DestinationState } from "../protocol/server-frames.js";

/** A destination as the process knows it. */
export interface KnownDestination {
  readonly handle: number;
  readonly to: DatagramAddress;
  /** As the stack has told last; free until it has. */
  state: DestinationState;
}

/** How the stack is told of them. */
export interface DestinationTeller {
  add(handle: number, to: DatagramAddress): void;
  forget(handle: number): void;
}

/** Destinations of one socket that the stack knows by number; the longest unused one makes room for another. */
export class KnownDestinations {
  readonly #byKey = new Map<string, KnownDestination>();
  readonly #byHandle = new Map<number, KnownDestination>();
  #last: KnownDestination | undefined;
  #nextHandle = 1;

  /** `limit`: how many the stack allows, at least 1. */
  constructor(
    private readonly limit: number,
    private readonly tell: DestinationTeller,
  ) {}

  of(to: DatagramAddress): KnownDestination {
    if (this.#last !== undefined && isSame(this.#last.to, to)) return this.#last;
    const key = `${addressKey(to)} ${String(to.port)}`;
    const known = this.#byKey.get(key);
    // To the end: the first one is the longest unused.
    if (known !== undefined) this.#byKey.delete(key);
    const destination = known ?? this.#add(to);
    this.#byKey.set(key, destination);
    this.#last = destination;
    return destination;
  }

  get(handle: number): KnownDestination | undefined {
    return this.#byHandle.get(handle);
  }

  #add(to: DatagramAddress): KnownDestination {
    const [oldest] = this.#byKey;
    if (oldest !== undefined && this.#byKey.size >= this.limit) {
      const [key, { handle }] = oldest;
      this.#byKey.delete(key);
      this.#byHandle.delete(handle);
      this.tell.forget(handle);
    }
    const destination: KnownDestination = { handle: this.#nextHandle, to, state: "free" };
    this.#nextHandle = this.#nextHandle === 0xffff_ffff ? 1 : this.#nextHandle + 1;
    this.#byHandle.set(destination.handle, destination);
    this.tell.add(destination.handle, to);
    return destination;
  }
}

const isSame = (one: DatagramAddress, other: DatagramAddress): boolean =>
  one === other || (one.port === other.port && one.address === other.address && one.scopeId === other.scopeId);
