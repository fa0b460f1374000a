import type { AcmCounters } from "./contract.js";
import { EndpointAccount, type MutableCounters, zeroCounters } from "./endpoint-account.js";

/** Counters of endpoints by key; they outlive the endpoint, so a port that went down and came back goes on counting. */
export class CounterBook {
  readonly #byEndpoint = new Map<string, EndpointAccount>();
  /** Requests received and how they ended, also those that reached no endpoint. */
  readonly core = { error: 0, resolve: 0, noData: 0 };

  of(endpoint: string): EndpointAccount {
    let account = this.#byEndpoint.get(endpoint);
    if (account === undefined) {
      account = new EndpointAccount();
      this.#byEndpoint.set(endpoint, account);
    }
    return account;
  }

  /** Requests answered wholly from the caches, at an endpoint with these counters. */
  hit(counters: MutableCounters, count = 1): void {
    this.core.resolve += count;
    counters.resolve += count;
    counters.routeCache += count;
  }

  /** Lookups and cache hits over all endpoints there ever were; requests and failures as the core saw them. */
  aggregate(): AcmCounters {
    const sum = zeroCounters();
    for (const account of this.#byEndpoint.values()) {
      const { addressQuery, addressCache, routeQuery, routeCache } = account.read();
      sum.addressQuery += addressQuery;
      sum.addressCache += addressCache;
      sum.routeQuery += routeQuery;
      sum.routeCache += routeCache;
    }
    return { ...sum, ...this.core };
  }
}
