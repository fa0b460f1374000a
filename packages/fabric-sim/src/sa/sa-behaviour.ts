import { Listeners } from "../fabric/events.js";
import type { SimClock } from "../fabric/services.js";

/**
 * How the SA treats requests: answers them, leaves them unanswered, refuses them with BUSY; or answers late, twice, in
 * another order than it was asked, or with a transaction id that nobody used.
 */
export type SaMode = (typeof SA_MODES)[number];

/** All modes. */
export const SA_MODES = ["normal", "silent", "busy", "slow", "twice", "unordered", "wrong-tid"] as const;

/** How late a slow SA answers unless it is told, milliseconds. */
export const SLOW_MS = 3000;

/** The SA's mode, which goes back to normal by itself after a while. */
export class SaBehaviour {
  #mode: SaMode = "normal";
  /** How late it answers while it is slow, milliseconds. */
  delayMs = SLOW_MS;
  #cancel: (() => void) | undefined;
  /** Heard whenever a mode is set or is over. */
  readonly changes = new Listeners<SaMode>();

  constructor(private readonly clock: SimClock) {}

  get mode(): SaMode {
    return this.#mode;
  }

  /** Sets the mode, for `durationMs` or, without it, until the next call. `delayMs` is of the mode `slow`. */
  set(mode: SaMode, durationMs?: number, delayMs = SLOW_MS): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#mode = mode;
    this.delayMs = delayMs;
    this.changes.emit(mode);
    if (mode === "normal" || durationMs === undefined) return;
    this.#cancel = this.clock.schedule(durationMs, () => {
      this.#mode = "normal";
      this.changes.emit("normal");
    });
  }

  close(): void {
    this.#cancel?.();
  }
}
