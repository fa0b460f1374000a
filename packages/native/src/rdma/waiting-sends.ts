import type { Completion, CompletionBatch } from "../api/completions.js";
import type { SendRequest } from "../api/queue-pair.js";
import { nativeError } from "../errors.js";
import { asError } from "../failure.js";
import { LendableSlice } from "./memory-region.js";
import type { TokenTable } from "./token-table.js";

interface Waiting {
  readonly slices: readonly LendableSlice[];
  /** Neither is set once the wait was aborted. */
  resolve?: ((completion: Completion) => void) | undefined;
  reject?: ((error: Error) => void) | undefined;
  readonly detach: () => void;
}

/** A request that failed: `VERBENA_NATIVE_COMPLETION`. */
export function completionError(what: string, completion: Completion): Error {
  const { status, statusCode, wrId, vendorError } = completion;
  return nativeError("VERBENA_NATIVE_COMPLETION", { details: { what, status, statusCode, wrId, vendorError } });
}

/** The sends of one queue pair whose callers wait for them. */
export class WaitingSends {
  readonly #waiting = new Map<number, Waiting>();

  constructor(
    private readonly what: string,
    private readonly tokens: TokenTable,
    /** The completion queue that brings them. */
    private readonly delivery: { expect(): void; unexpect(): void },
  ) {}

  /** Posts `request` by `post` and waits for it. */
  send(request: SendRequest, post: (token: number) => void, signal: AbortSignal | undefined): Promise<Completion> {
    if (signal?.aborted === true) return Promise.reject(asError(signal.reason));
    // Before it is posted: what nobody may wait for is not sent.
    try {
      this.delivery.expect();
    } catch (error) {
      return Promise.reject(asError(error));
    }
    const token = this.tokens.add((records, index) => this.#complete(token, records, index));
    try {
      post(token);
    } catch (error) {
      this.tokens.delete(token);
      this.delivery.unexpect();
      return Promise.reject(asError(error));
    }
    const slices = slicesOf(request);
    for (const slice of slices) slice.lend();
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.resolve = undefined;
        waiting.reject = undefined;
        if (signal !== undefined) reject(asError(signal.reason));
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      const waiting: Waiting = {
        slices,
        resolve,
        reject,
        detach: () => signal?.removeEventListener("abort", onAbort),
      };
      this.#waiting.set(token, waiting);
    });
  }

  /** No completion comes any more: all that wait are rejected. */
  giveUp(error: Error): void {
    for (const [token, waiting] of this.#waiting) {
      this.tokens.delete(token);
      this.delivery.unexpect();
      this.#release(token, waiting);
      waiting.reject?.(error);
    }
  }

  #complete(token: number, records: CompletionBatch, index: number): boolean {
    const waiting = this.#waiting.get(token);
    if (waiting === undefined) return true;
    this.#release(token, waiting);
    const completion = records.at(index);
    if (completion.statusCode === 0) waiting.resolve?.(completion);
    else waiting.reject?.(completionError(this.what, completion));
    return true;
  }

  #release(token: number, waiting: Waiting): void {
    this.#waiting.delete(token);
    waiting.detach();
    for (const slice of waiting.slices) slice.giveBack();
  }
}

function slicesOf({ data }: SendRequest): readonly LendableSlice[] {
  if (data === undefined) return [];
  const segments = "region" in data ? [data] : data;
  return segments.filter((segment): segment is LendableSlice => segment instanceof LendableSlice);
}
