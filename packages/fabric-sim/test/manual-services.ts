import { type FabricServices, type SimClock, seededRandom } from "../src/fabric/services.js";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Services under a test's control: nothing happens until `run` or `advance`. */
export class ManualServices implements FabricServices {
  #now = 0;
  readonly #due: (() => void)[] = [];
  readonly #timers = new Set<Timer>();
  readonly random = seededRandom(1);

  readonly clock: SimClock = {
    now: () => this.#now,
    schedule: (delayMs, callback) => {
      const timer = { at: this.#now + delayMs, callback };
      this.#timers.add(timer);
      return () => {
        this.#timers.delete(timer);
      };
    },
  };

  readonly defer = (work: () => void) => {
    this.#due.push(work);
  };

  /** Number of timers that wait. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Runs deferred work until there is none. */
  run(): void {
    for (let work = this.#due.shift(); work !== undefined; work = this.#due.shift()) work();
  }

  /** Lets time pass and runs what becomes due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      this.run();
      const next = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }
}
