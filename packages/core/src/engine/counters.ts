import type { ProviderCounters } from "../sdk/provider.js";
import type { AcmCounters } from "./contract.js";

/** The seven counters while they count. */
export type MutableCounters = { -readonly [K in keyof AcmCounters]: number };

export function zeroCounters(): MutableCounters {
  return { error: 0, resolve: 0, noData: 0, addressQuery: 0, addressCache: 0, routeQuery: 0, routeCache: 0 };
}

/** Counters of endpoints by key; they outlive the endpoint, so a port that went down and came back goes on counting. */
export class CounterBook {
  readonly #byEndpoint = new Map<string, MutableCounters>();
  /** Requests received and how they ended, also those that reached no endpoint. */
  readonly core = { error: 0, resolve: 0, noData: 0 };

  of(endpoint: string): MutableCounters {
    let counters = this.#byEndpoint.get(endpoint);
    if (counters === undefined) {
      counters = zeroCounters();
      this.#byEndpoint.set(endpoint, counters);
    }
    return counters;
  }

  /** Lookups and cache hits over all endpoints there ever were; requests and failures as the core saw them. */
  aggregate(read: (endpoint: string, counters: MutableCounters) => AcmCounters): AcmCounters {
    const sum = zeroCounters();
    for (const [endpoint, counters] of this.#byEndpoint) {
      const { addressQuery, addressCache, routeQuery, routeCache } = read(endpoint, counters);
      sum.addressQuery += addressQuery;
      sum.addressCache += addressCache;
      sum.routeQuery += routeQuery;
      sum.routeCache += routeCache;
    }
    return { ...sum, ...this.core };
  }
}

/**
 * What is shown for an endpoint. A provider that counts its own exchanges knows better than we do how many there were: a counter that any
 * of the sessions reports under our name replaces ours.
 */
export function readCounters(
  own: AcmCounters,
  sessions: ReadonlyMap<string, { counters(): ProviderCounters }> | undefined,
): AcmCounters {
  const shown = { ...own };
  for (const name of ["addressQuery", "routeQuery"] as const) {
    let reported: number | undefined;
    for (const session of sessions?.values() ?? []) {
      const value = session.counters()[name];
      if (value !== undefined) reported = (reported ?? 0) + Number(value);
    }
    if (reported !== undefined) shown[name] = reported;
  }
  return shown;
}
