import type { SimClock } from "../fabric/services.js";

/** How the SA treats requests: answers them, leaves them unanswered, or refuses them with BUSY. */
export type SaMode = "normal" | "silent" | "busy";

/** The SA's mode, which goes back to normal by itself after a while. */
export class SaBehaviour {
  #mode: SaMode = "normal";
  #cancel: (() => void) | undefined;

  constructor(private readonly clock: SimClock) {}

  get mode(): SaMode {
    return this.#mode;
  }

  /** Sets the mode, for `durationMs` or, without it, until the next call. */
  set(mode: SaMode, durationMs?: number): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#mode = mode;
    if (mode === "normal" || durationMs === undefined) return;
    this.#cancel = this.clock.schedule(durationMs, () => {
      this.#mode = "normal";
    });
  }

  close(): void {
    this.#cancel?.();
  }
}
