/** Monotonic clock in microseconds. */
export type ClockUs = () => number;

/** What one turn of the event loop may take. */
export interface Budget {
  readonly items: number;
  readonly microseconds: number;
}

/** Counts what is done in the present turn of the event loop, and runs what had to wait in the next one. */
export class TurnBudget {
  #turn: NodeJS.Immediate | undefined;
  #items = 0;
  #startUs = 0;
  #next: (() => void) | undefined;

  constructor(
    private readonly budget: Budget,
    private readonly clock: ClockUs,
  ) {}

  /** True while the present turn may go on. */
  hasRoom(): boolean {
    if (this.#turn === undefined) return true;
    return this.#items < this.budget.items && this.clock() - this.#startUs < this.budget.microseconds;
  }

  /** A callback of the loop has come: a new turn, whatever was booked on the one before. */
  renew(): void {
    if (this.#turn === undefined) return;
    this.#items = 0;
    this.#startUs = this.clock();
  }

  /** Books `items` on the present turn. */
  spend(items: number): void {
    if (this.#turn === undefined) this.#begin();
    this.#items += items;
  }

  /** Runs `next` in the next turn, in place of what was to run before. */
  yield(next: () => void): void {
    if (this.#turn === undefined) this.#begin();
    this.#next = next;
    this.#turn?.ref();
  }

  /** Nothing runs any more. */
  cancel(): void {
    this.#next = undefined;
    this.#turn?.unref();
  }

  #begin(): void {
    this.#items = 0;
    this.#startUs = this.clock();
    // Alone it must not keep the process alive.
    this.#turn = setImmediate(() => this.#end()).unref();
  }

  #end(): void {
    this.#turn = undefined;
    const next = this.#next;
    this.#next = undefined;
    next?.();
  }
}
