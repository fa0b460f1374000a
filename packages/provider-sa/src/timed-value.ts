import type { Clock } from "@verbena/core/sdk";

/**
 * A value that is fetched when it is first needed, shared by everybody who asks meanwhile, and fetched again when it is older than
 * `ttlMs` or was dropped. A failed fetch is not kept: the next one who asks tries again.
 */
export class TimedValue<T> {
  readonly #fetch: () => Promise<T>;
  readonly #ttlMs: number;
  readonly #clock: Clock;
  #flight: Promise<T> | undefined;
  #fetchedAt = 0;
  #current: T | undefined;

  constructor(fetch: () => Promise<T>, ttlMs: number, clock: Clock) {
    this.#fetch = fetch;
    this.#ttlMs = ttlMs;
    this.#clock = clock;
  }

  get(): Promise<T> {
    if (this.#flight !== undefined && this.#clock.now() - this.#fetchedAt < this.#ttlMs) return this.#flight;
    const flight = this.#fetch();
    this.#flight = flight;
    this.#fetchedAt = this.#clock.now();
    this.#current = undefined;
    flight.then(
      (value) => {
        if (this.#flight === flight) this.#current = value;
      },
      () => {
        if (this.#flight === flight) this.#flight = undefined;
      },
    );
    return flight;
  }

  /** What was fetched last, if it has come and was not dropped since. */
  get current(): T | undefined {
    return this.#current;
  }

  /** Whether what `get` gives is at least `ageMs` old: a miss in an old table deserves a fresh look. */
  isOlderThan(ageMs: number): boolean {
    return this.#flight !== undefined && this.#clock.now() - this.#fetchedAt >= ageMs;
  }

  drop(): void {
    this.#flight = undefined;
    this.#current = undefined;
  }
}
