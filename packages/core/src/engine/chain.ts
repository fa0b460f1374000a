import type { Clock } from "../sdk/services.js";
import { type ChainFailure, detailOf, failureOf } from "./chain-failure.js";
import type { ProviderOutcome, ProviderStep } from "./explanation.js";

/** One provider of a chain, ready to be asked. */
export interface ChainLink<A> {
  readonly provider: string;
  /** May throw, reject, or never settle; the chain copes. */
  ask(signal: AbortSignal): Promise<A | undefined>;
}

export interface ChainOptions<A> {
  readonly clock: Clock;
  /** On the clock. The chain has settled by then. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /**
   * With it, the next provider is asked beside a silent one after this time, and the first positive answer wins. Without it, providers are
   * asked one after the other, each with an equal share of the time that is left.
   */
  readonly companionDelayMs?: number | undefined;
  /** What is wrong with an answer's shape, if anything. */
  readonly check: (answer: A) => string | undefined;
  /** Is told how each provider that was asked has ended. */
  readonly onEnd?: (step: ProviderStep) => void;
}

/** `failures` in the order they happened; empty when no provider was there to ask. */
export type ChainOutcome<A> =
  | { readonly found: true; readonly provider: string; readonly answer: A }
  | { readonly found: false; readonly failures: readonly ChainFailure[] };

/** Asks providers in order until one knows. `undefined`, a rejection, a time-out and a broken contract all pass to the next. Never rejects. */
export function askChain<A>(links: readonly ChainLink<A>[], options: ChainOptions<A>): Promise<ChainOutcome<A>> {
  return new Promise((resolve) => {
    new ChainRun(links, options, resolve).start();
  });
}

class ChainRun<A> {
  readonly #failures: ChainFailure[] = [];
  readonly #open = new Map<
    number,
    { readonly controller: AbortController; readonly cancels: (() => void)[]; readonly startedAt: number }
  >();
  readonly #told = new Set<number>();
  #next = 0;
  #isDone = false;
  #cancelDeadline: () => void = () => undefined;

  constructor(
    private readonly links: readonly ChainLink<A>[],
    private readonly options: ChainOptions<A>,
    private readonly resolve: (outcome: ChainOutcome<A>) => void,
  ) {}

  start(): void {
    const { clock, deadline, signal } = this.options;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#cancelDeadline = clock.schedule(deadline - clock.now(), () => {
      this.#giveUp();
    });
    if (signal.aborted) this.#onAbort();
    else this.#askNext();
  }

  readonly #onAbort = (): void => {
    this.#giveUp();
  };

  /** Whoever is still silent has timed out. */
  #giveUp(): void {
    for (const index of this.#open.keys()) {
      this.#failures.push({ provider: this.#name(index), kind: "timeout" });
      this.#tell(index, this.options.clock.now() < this.options.deadline ? "overtaken" : "timeout");
    }
    this.#finish({ found: false, failures: this.#failures });
  }

  #askNext(): void {
    if (this.#isDone) return;
    const index = this.#next;
    const link = this.links[index];
    if (link === undefined) {
      if (this.#open.size === 0) this.#finish({ found: false, failures: this.#failures });
      return;
    }
    this.#next += 1;
    const run = {
      controller: new AbortController(),
      cancels: this.#timers(index),
      startedAt: this.options.clock.now(),
    };
    this.#open.set(index, run);
    let answer: Promise<A | undefined>;
    try {
      answer = Promise.resolve(link.ask(run.controller.signal));
    } catch (error) {
      this.#fail(index, { provider: link.provider, kind: "fault", what: `threw ${String(error)}`, error });
      return;
    }
    answer.then(
      (value) => {
        this.#take(index, value);
      },
      (error: unknown) => {
        this.#fail(index, failureOf(link.provider, error));
      },
    );
  }

  #timers(index: number): (() => void)[] {
    const { clock, deadline, companionDelayMs } = this.options;
    const left = this.links.length - index;
    if (left === 1) return [];
    if (companionDelayMs === undefined) {
      const share = (deadline - clock.now()) / left;
      return [
        clock.schedule(share, () => {
          this.#fail(index, { provider: this.#name(index), kind: "timeout" });
        }),
      ];
    }
    return [
      clock.schedule(companionDelayMs, () => {
        if (this.#next === index + 1) this.#askNext();
      }),
    ];
  }

  #take(index: number, value: A | undefined): void {
    if (!this.#open.has(index)) return;
    const provider = this.#name(index);
    if (value === undefined) {
      this.#fail(index, { provider, kind: "unknown" });
      return;
    }
    const wrong = this.options.check(value);
    if (wrong !== undefined) this.#fail(index, { provider, kind: "fault", what: wrong });
    else {
      this.#tell(index, "answered");
      this.#finish({ found: true, provider, answer: value });
    }
  }

  #fail(index: number, failure: ChainFailure): void {
    const run = this.#open.get(index);
    if (run === undefined) return;
    this.#tell(index, failure.kind, detailOf(failure));
    this.#open.delete(index);
    for (const cancel of run.cancels) cancel();
    if (failure.kind === "timeout") run.controller.abort();
    this.#failures.push(failure);
    this.#askNext();
  }

  #finish(outcome: ChainOutcome<A>): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#cancelDeadline();
    this.options.signal.removeEventListener("abort", this.#onAbort);
    for (const [index, { controller, cancels }] of this.#open) {
      this.#tell(index, "overtaken");
      for (const cancel of cancels) cancel();
      controller.abort();
    }
    this.#open.clear();
    this.resolve(outcome);
  }

  /** Once for each; what comes later is about one that has been told. */
  #tell(index: number, outcome: ProviderOutcome, detail?: string): void {
    const { onEnd, clock } = this.options;
    const run = this.#open.get(index);
    if (onEnd === undefined || run === undefined || this.#told.has(index)) return;
    this.#told.add(index);
    const tookMs = clock.now() - run.startedAt;
    onEnd({ provider: this.#name(index), outcome, tookMs, ...(detail === undefined ? {} : { detail }) });
  }

  #name(index: number): string {
    return this.links[index]?.provider ?? "";
  }
}
