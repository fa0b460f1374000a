/** Requests for one attribute by one method. */
export interface SaCounter {
  readonly attribute: string;
  readonly method: string;
  requests: number;
  /** Records in all answers. */
  records: number;
  /** Answers with a status other than 0. */
  failures: number;
}

/** Counts what the SA is asked. */
export class SaCounters {
  readonly #counters = new Map<string, SaCounter>();
  /** Requests that got no answer because the SA was told to be silent. */
  unanswered = 0;
  /** Requests refused with BUSY. */
  busy = 0;

  request(attribute: string, method: string): SaCounter {
    const key = `${attribute} ${method}`;
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      counter = { attribute, method, requests: 0, records: 0, failures: 0 };
      this.#counters.set(key, counter);
    }
    counter.requests++;
    return counter;
  }

  all(): readonly SaCounter[] {
    return [...this.#counters.values()].sort((a, b) =>
      `${a.attribute} ${a.method}` < `${b.attribute} ${b.method}` ? -1 : 1,
    );
  }
}
