import type { DatagramAddress, DatagramErrno } from "@verbena/core/sdk";
import { addressKey } from "../../engine/ip.js";

interface HeldMessage {
  readonly to: DatagramAddress;
  readonly key: string;
  readonly payload: Buffer;
}

/**
 * Messages that their process was right to send, for it had not heard yet that their destination is congested. They are sent when it is free; those to
 * one destination keep their order. Holding them, and not sending in spite of the congestion, keeps a process that does not heed it from filling
 * another one's memory.
 */
export class HeldMessages {
  #held: HeldMessage[] = [];
  readonly #counts = new Map<string, number>();
  /** Ends whose first message was refused for want of room for a peer. */
  readonly #withoutRoom = new Map<string, DatagramAddress>();

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** Whether a message to this end must wait behind others. */
  has(to: DatagramAddress): boolean {
    return this.#held.length > 0 && this.#counts.has(keyOf(to));
  }

  /** Whether messages wait for room for a peer, whatever their process says of their ends meanwhile. */
  get hasNoRoom(): boolean {
    return this.#withoutRoom.size > 0;
  }

  /** Whether there may be room now for some of those. */
  someHaveRoom(isLikely: (to: DatagramAddress) => boolean): boolean {
    return [...this.#withoutRoom.values()].some(isLikely);
  }

  /** `refusal`: that of this message, if it was offered. */
  push(to: DatagramAddress, payload: Buffer, refusal: DatagramErrno | undefined): void {
    const key = keyOf(to);
    if (refusal === "ENOMEM") this.#withoutRoom.set(key, to);
    this.#held.push({ to, key, payload });
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Offers each, in order; behind one that is refused, none to the same destination. */
  retry(offer: (to: DatagramAddress, payload: Buffer) => DatagramErrno | undefined): void {
    const refused = new Set<string>();
    this.#take(({ to, key, payload }) => {
      if (refused.has(key)) return false;
      const refusal = offer(to, payload);
      if (refusal === "ENOMEM") this.#withoutRoom.set(key, to);
      else this.#withoutRoom.delete(key);
      if (refusal === undefined) return true;
      refused.add(key);
      return false;
    });
  }

  /** Drops those to one end, or all; gives their payload lengths. */
  cancel(to: DatagramAddress | undefined): readonly number[] {
    const key = to === undefined ? undefined : keyOf(to);
    return this.#take((message) => key === undefined || message.key === key).map(({ payload }) => payload.length);
  }

  /** Takes out those that `isWanted`, asked once for each in order. */
  #take(isWanted: (message: HeldMessage) => boolean): readonly HeldMessage[] {
    const taken: HeldMessage[] = [];
    this.#held = this.#held.filter((message) => {
      if (!isWanted(message)) return true;
      taken.push(message);
      return false;
    });
    for (const { key } of taken) {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left === 0) {
        this.#counts.delete(key);
        this.#withoutRoom.delete(key);
      } else this.#counts.set(key, left);
    }
    return taken;
  }
}

const keyOf = (to: DatagramAddress): string => `${addressKey(to)} ${String(to.port)}`;
