import type { PortEventName } from "../attach/attach-host.js";
import type { DropReason } from "./drop-reason.js";
import type { FabricPort } from "./port.js";
import type { Hop } from "./route.js";

/** What happens in a fabric. */
export type FabricEvent =
  /** A link went up or down; both its ports show it already. Given once for each of the two ports. */
  | { readonly type: "link"; readonly port: FabricPort; readonly isUp: boolean }
  /** Something that programs on the port's node can read has changed. */
  | { readonly type: "state"; readonly port: FabricPort }
  /** The capability mask of the port has changed; `state` was given before. */
  | { readonly type: "capability"; readonly port: FabricPort }
  /** What verbs calls an asynchronous event. The state is new already. */
  | { readonly type: "async-event"; readonly port: FabricPort; readonly event: PortEventName };

/**
 * A packet's step as a trace sees it: put on the wire at a port, carried over a link, delivered to a port, ended. The bytes are those at
 * that moment and are reused: copy what is kept. `origin` is the packet as it was sent, where the way changes it (directed routes).
 */
export type TraceRecord = { readonly packet: Buffer; readonly origin?: Buffer } & (
  | { readonly type: "send" | "deliver"; readonly port: FabricPort }
  | { readonly type: "forward"; readonly hop: Hop }
  | { readonly type: "drop"; readonly port: FabricPort; readonly reason: DropReason }
);

/** A set of functions to call; a listener that leaves while it is called is not called again. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Adds a listener; returns a function that removes it. */
  add(listener: (value: T) => void): () => void {
    const own = (value: T) => {
      listener(value);
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) {
      if (this.#listeners.has(listener)) listener(value);
    }
  }
}
