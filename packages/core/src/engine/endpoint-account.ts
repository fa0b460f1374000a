import type { ProviderCounters } from "../sdk/provider.js";
import type { AcmCounters } from "./contract.js";

/** The seven counters while they count. */
export type MutableCounters = { -readonly [K in keyof AcmCounters]: number };

/** A session that may count its own exchanges. */
export interface Reporter {
  counters(): ProviderCounters;
}

const REPORTED = ["addressQuery", "routeQuery"] as const;
type Reported = (typeof REPORTED)[number];

export function zeroCounters(): MutableCounters {
  return { error: 0, resolve: 0, noData: 0, addressQuery: 0, addressCache: 0, routeQuery: 0, routeCache: 0 };
}

/**
 * The counters of an endpoint, by whatever sessions it is served one after the other, or side by side while an engine takes another's place.
 * A provider that counts its own exchanges knows better than we do how many there were: what any of the sessions reports under our name
 * stands for ours as long as it is there. What is shown never falls.
 */
export class EndpointAccount {
  /** What the core counts. */
  readonly own = zeroCounters();
  readonly #reporters = new Set<Reporter>();
  /** What reporters left behind, and what of our own count they stood for. */
  readonly #carried: Record<Reported, number> = { addressQuery: 0, routeQuery: 0 };
  readonly #replaced: Record<Reported, number> = { addressQuery: 0, routeQuery: 0 };

  /** Calls the session's `counters`, and throws what that throws. */
  attach(reporter: Reporter): void {
    const counters = reporter.counters();
    for (const name of REPORTED) {
      if (counters[name] === undefined || this.#reported(name) !== undefined) continue;
      this.#carried[name] += this.own[name] - this.#replaced[name];
    }
    this.#reporters.add(reporter);
  }

  /** The session ends. The same. */
  retire(reporter: Reporter): void {
    if (!this.#reporters.delete(reporter)) return;
    const counters = reporter.counters();
    for (const name of REPORTED) {
      const last = counters[name];
      if (last === undefined) continue;
      this.#carried[name] += Number(last);
      if (this.#reported(name) === undefined) this.#replaced[name] = this.own[name];
    }
  }

  read(): AcmCounters {
    const shown = { ...this.own };
    for (const name of REPORTED) {
      shown[name] = this.#carried[name] + (this.#reported(name) ?? this.own[name] - this.#replaced[name]);
    }
    return shown;
  }

  #reported(name: Reported): number | undefined {
    let sum: number | undefined;
    for (const reporter of this.#reporters) {
      const value = reporter.counters()[name];
      if (value !== undefined) sum = (sum ?? 0) + Number(value);
    }
    return sum;
  }
}
