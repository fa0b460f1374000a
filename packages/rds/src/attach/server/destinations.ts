import type { DatagramAddress, TransportAddress } from "@verbena/core/sdk";
import { addressKey } from "../../engine/ip.js";
import type { DestinationState } from "../protocol/server-frames.js";

/** An end that a process sends to, and what it has been told of it. */
export interface Destination {
  readonly handle: number;
  readonly to: DatagramAddress;
  /** What the process believes; a new one it takes for free. */
  told: DestinationState;
}

/** Destinations of one socket, by the numbers that its process gave them. */
export class Destinations {
  readonly #byHandle = new Map<number, Destination>();
  readonly #byAddress = new Map<string, Set<Destination>>();
  /** Those of which there may be something to tell. */
  readonly #doubtful = new Set<Destination>();
  readonly #withoutRoom = new Set<Destination>();

  get size(): number {
    return this.#byHandle.size;
  }

  get(handle: number): Destination | undefined {
    return this.#byHandle.get(handle);
  }

  add(handle: number, to: DatagramAddress): void {
    const destination: Destination = { handle, to, told: "free" };
    this.#byHandle.set(handle, destination);
    const key = addressKey(to);
    const same = this.#byAddress.get(key) ?? new Set();
    this.#byAddress.set(key, same.add(destination));
    this.#doubtful.add(destination);
  }

  delete(destination: Destination): void {
    this.#byHandle.delete(destination.handle);
    this.#doubtful.delete(destination);
    this.#withoutRoom.delete(destination);
    const key = addressKey(destination.to);
    const same = this.#byAddress.get(key);
    same?.delete(destination);
    if (same?.size === 0) this.#byAddress.delete(key);
  }

  /** The congestion map of an address has changed. True if that concerns one of these. */
  doubt(address: TransportAddress): boolean {
    const concerned = this.#byAddress.get(addressKey(address));
    if (concerned === undefined) return false;
    for (const destination of concerned) this.#doubtful.add(destination);
    return true;
  }

  /** Whether the process was told of one that there are too many peers for it. */
  get hasNoRoom(): boolean {
    return this.#withoutRoom.size > 0;
  }

  /** There may be room now for these of them. */
  doubtNoRoom(isLikely: (to: DatagramAddress) => boolean): void {
    for (const destination of this.#withoutRoom) if (isLikely(destination.to)) this.#doubtful.add(destination);
  }

  /** Those whose state is another than the process believes; it will have been told. */
  takeNews(stateOf: (to: DatagramAddress) => DestinationState): readonly Destination[] {
    if (this.#doubtful.size === 0) return [];
    const news: Destination[] = [];
    for (const destination of this.#doubtful) {
      const state = stateOf(destination.to);
      if (state === destination.told) continue;
      destination.told = state;
      if (state === "no-room") this.#withoutRoom.add(destination);
      else this.#withoutRoom.delete(destination);
      news.push(destination);
    }
    this.#doubtful.clear();
    return news;
  }
}
