import type { VerbenaError } from "@verbena/ib";
import type { SaQuery, SaResponse } from "../sdk/services.js";

/**
 * Where a query is. `queued`: waits for a place in the window. `sent`: holds a place, an answer is awaited. `paused`: between two
 * tries, holds none. `done`: settled.
 */
export type TransactionState = "queued" | "sent" | "paused" | "done";

/** One query of the SA from the call to its end, over all its tries. */
export class Transaction {
  state: TransactionState = "queued";
  /** Transaction id, low 32 bits, the same for a request and its repeats; 0: a new one is due. */
  tid = 0;
  tries = 0;
  /** When the try under way was sent, on the clock. */
  sentAt = 0;
  /** Sent while the SA was being left alone, to find out how it is. */
  isProbe = false;
  /** BUSY answers since the last other outcome. */
  busy = 0;
  lastOutcome: "none" | "busy" | "timeout" = "none";
  #cancelTry: (() => void) | undefined;
  readonly #cleanups: (() => void)[] = [];

  constructor(
    readonly query: SaQuery,
    readonly deadline: number,
    readonly tryTimeoutMs: number,
    private readonly settle: {
      readonly resolve: (response: SaResponse) => void;
      readonly reject: (error: VerbenaError) => void;
    },
  ) {}

  /** Runs once, when the transaction is done. */
  onDone(cleanup: () => void): void {
    this.#cleanups.push(cleanup);
  }

  /** The timer of the current state: a try's time-out or a pause. A new one replaces it. */
  arm(cancel: () => void): void {
    this.disarm();
    this.#cancelTry = cancel;
  }

  disarm(): void {
    this.#cancelTry?.();
    this.#cancelTry = undefined;
  }

  resolve(response: SaResponse): void {
    if (this.#finish()) this.settle.resolve(response);
  }

  reject(error: VerbenaError): void {
    if (this.#finish()) this.settle.reject(error);
  }

  #finish(): boolean {
    if (this.state === "done") return false;
    this.state = "done";
    this.disarm();
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
    return true;
  }
}
