import type { SocketBackend } from "@verbena/core/sdk";

/** A back end that can come to know no more whether messages have arrived. */
export interface LossyBackend extends SocketBackend {
  /** The error of messages of which that is so, counted since it was last taken; `undefined` when there are none. */
  takeLoss(): Error | undefined;
}

/** As {@link LossyBackend.takeLoss}, of any back end. */
export function takeLoss(backend: SocketBackend | undefined): Error | undefined {
  return backend !== undefined && "takeLoss" in backend ? (backend as LossyBackend).takeLoss() : undefined;
}
