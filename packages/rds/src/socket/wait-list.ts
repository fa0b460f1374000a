import type { Clock } from "@verbena/core/sdk";
import { errnoError, rdsError } from "../errors.js";

/** How long a call waits. */
export interface WaitOptions {
  /** Milliseconds; 0 waits for ever. Default: the socket's. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

interface Wait<Ask, Answer> {
  readonly ask: Ask;
  readonly settle: (outcome: { readonly answer: Answer } | { readonly error: Error }) => void;
}

/** Calls that wait for something of a socket, in the order in which they came. */
export class WaitList<Ask, Answer> implements Iterable<Ask> {
  readonly #clock: Clock;
  readonly #operation: string;
  readonly #waits = new Set<Wait<Ask, Answer>>();

  /** `operation` is for messages. */
  constructor(clock: Clock, operation: string) {
    this.#clock = clock;
    this.#operation = operation;
  }

  get length(): number {
    return this.#waits.size;
  }

  *[Symbol.iterator](): Iterator<Ask> {
    for (const { ask } of this.#waits) yield ask;
  }

  /** Waits until an answer is given; rejects with ETIMEDOUT, when the signal says so, or with what {@link failAll} gives. */
  wait(ask: Ask, { timeoutMs = 0, signal }: WaitOptions): Promise<Answer> {
    const operation = this.#operation;
    if (signal?.aborted === true) return Promise.reject(aborted(operation, signal));
    return new Promise((resolve, reject) => {
      const cancelTimer =
        timeoutMs === 0
          ? undefined
          : this.#clock.schedule(timeoutMs, () =>
              wait.settle({ error: errnoError("ETIMEDOUT", { operation, timeoutMs }) }),
            );
      const onAbort = (): void => wait.settle({ error: aborted(operation, signal) });
      const wait: Wait<Ask, Answer> = {
        ask,
        settle: (outcome) => {
          this.#waits.delete(wait);
          cancelTimer?.();
          signal?.removeEventListener("abort", onAbort);
          if ("error" in outcome) reject(outcome.error);
          else resolve(outcome.answer);
        },
      };
      signal?.addEventListener("abort", onAbort);
      this.#waits.add(wait);
    });
  }

  /** Asks for each wait, in order, what it gets; `undefined` lets it wait on, `"stop"` also all behind it. An error rejects it. */
  answer(answerTo: (ask: Ask) => { readonly answer: Answer } | { readonly error: Error } | "stop" | undefined): void {
    for (const wait of this.#waits) {
      const outcome = answerTo(wait.ask);
      if (outcome === "stop") return;
      if (outcome !== undefined) wait.settle(outcome);
    }
  }

  failAll(error: Error): void {
    for (const wait of this.#waits) wait.settle({ error });
  }
}

const aborted = (operation: string, signal: AbortSignal | undefined): Error =>
  rdsError("VERBENA_RDS_ABORTED", { details: { operation }, cause: signal?.reason });
