import type { Clock } from "@verbena/core/sdk";
import { errnoError, rdsError } from "../errors.js";
import { keepAlive } from "../keep-alive.js";

/** How long a call waits. */
export interface WaitOptions {
  /** Milliseconds; 0 waits for ever. Default: the socket's. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What a waiting call gets: its answer, an error, or to wait on, with another time-out from now (0: none) if one is given. `isLast` lets all behind it wait on too. */
export type Outcome<Answer> =
  | { readonly answer: Answer }
  | { readonly error: Error }
  | { readonly timeoutMs?: number; readonly isLast?: boolean };

interface Wait<Ask, Answer> {
  readonly ask: Ask;
  setTimeout(timeoutMs: number): void;
  readonly settle: (outcome: { readonly answer: Answer } | { readonly error: Error }) => void;
}

/** Calls that wait for something of a socket, in the order in which they came. */
export class WaitList<Ask, Answer> implements Iterable<Ask> {
  readonly #clock: Clock;
  readonly #operation: string;
  readonly #waits = new Set<Wait<Ask, Answer>>();
  readonly #onGivenUp: () => void;
  #isAnswering = false;
  #isDue = false;

  /** `operation` is for messages; `onGivenUp` hears of each wait that has timed out or was aborted, once it is gone. */
  constructor(clock: Clock, operation: string, onGivenUp: () => void = () => undefined) {
    this.#clock = clock;
    this.#operation = operation;
    this.#onGivenUp = onGivenUp;
  }

  get length(): number {
    return this.#waits.size;
  }

  *[Symbol.iterator](): Iterator<Ask> {
    for (const { ask } of this.#waits) yield ask;
  }

  /** The error of a call with these options, before anything is done for it: EINVAL of a time-out that is none, or that its signal is aborted. */
  check({ timeoutMs = 0, signal }: WaitOptions): Error | undefined {
    if (!(typeof timeoutMs === "number" && timeoutMs >= 0)) {
      return errnoError("EINVAL", {
        reason: `timeoutMs must be a number that is not negative, not ${String(timeoutMs)}`,
      });
    }
    return signal?.aborted === true ? aborted(this.#operation, signal) : undefined;
  }

  /** Waits until an answer is given; options as {@link check} lets them through. Rejects with ETIMEDOUT, when the signal says so, or with what {@link failAll} gives. */
  wait(ask: Ask, { timeoutMs = 0, signal }: WaitOptions): Promise<Answer> {
    const operation = this.#operation;
    return new Promise((resolve, reject) => {
      let cancelTimer: (() => void) | undefined;
      const giveUp = (error: Error): void => {
        wait.settle({ error });
        this.#onGivenUp();
      };
      const onAbort = (): void => giveUp(aborted(operation, signal));
      const wait: Wait<Ask, Answer> = {
        ask,
        setTimeout: (ms) => {
          cancelTimer?.();
          cancelTimer = ms === 0 ? undefined : this.#timer(ms, giveUp);
        },
        settle: (outcome) => {
          this.#waits.delete(wait);
          cancelTimer?.();
          signal?.removeEventListener("abort", onAbort);
          if ("error" in outcome) reject(outcome.error);
          else resolve(outcome.answer);
        },
      };
      signal?.addEventListener("abort", onAbort);
      wait.setTimeout(timeoutMs);
      this.#waits.add(wait);
    });
  }

  /**
   * Asks for each wait, in order, what it gets. `begin` makes who is asked, anew for every pass: whatever an answer brings about may call this
   * again, for the same waits, and is heard in a pass of its own afterwards. Otherwise a wait that is being answered would be answered twice.
   */
  answer(begin: () => (ask: Ask) => Outcome<Answer>): void {
    this.#isDue = true;
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    try {
      while (this.#isDue && this.#waits.size > 0) {
        this.#isDue = false;
        this.#pass(begin());
      }
    } finally {
      this.#isAnswering = false;
    }
  }

  failAll(error: Error): void {
    for (const wait of this.#waits) wait.settle({ error });
  }

  /** The program is told: where nothing else keeps it running, it would be over before. */
  #timer(timeoutMs: number, giveUp: (error: Error) => void): () => void {
    const letGo = keepAlive();
    const operation = this.#operation;
    const cancel = this.#clock.schedule(timeoutMs, () => giveUp(errnoError("ETIMEDOUT", { operation, timeoutMs })));
    return () => {
      cancel();
      letGo();
    };
  }

  #pass(answerTo: (ask: Ask) => Outcome<Answer>): void {
    for (const wait of this.#waits) {
      const outcome = answerTo(wait.ask);
      if ("answer" in outcome || "error" in outcome) {
        wait.settle(outcome);
        continue;
      }
      if (outcome.timeoutMs !== undefined) wait.setTimeout(outcome.timeoutMs);
      if (outcome.isLast === true) return;
    }
  }
}

const aborted = (operation: string, signal: AbortSignal | undefined): Error =>
  rdsError("VERBENA_RDS_ABORTED", { details: { operation }, cause: signal?.reason });
