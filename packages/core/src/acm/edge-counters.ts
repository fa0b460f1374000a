import { ACM_STATUS } from "@verbena/ib";
import type { AcmCounters, ResolverEngine } from "../engine/contract.js";

/**
 * What the edges count, not the endpoints: requests and their outcome over all clients. One object for the socket server and the
 * kernel's netlink service together.
 */
export class AcmEdgeCounters {
  #error = 0;
  #resolve = 0;
  #noData = 0;

  /** RESOLVE requests answered with a status other than 0 and 3. QUERY_SA is not counted. */
  get error(): number {
    return this.#error;
  }
  /** RESOLVE requests received, of any kind. */
  get resolve(): number {
    return this.#resolve;
  }
  /** RESOLVE requests answered with status 3. QUERY_SA is not counted. */
  get noData(): number {
    return this.#noData;
  }

  /** RESOLVE requests have arrived. */
  received(count = 1): void {
    this.#resolve += count;
  }

  /** A RESOLVE request that is no QUERY_SA has been answered. */
  answered(status: number): void {
    if (status === ACM_STATUS.ENODATA) this.#noData++;
    else if (status !== ACM_STATUS.SUCCESS) this.#error++;
  }
}

/**
 * The aggregate that clients see: the edge's three counters, the rest summed over the endpoints. The engine is asked first: that brings in what
 * has been counted elsewhere.
 */
export function aggregateCounters(edge: AcmEdgeCounters, engine: Pick<ResolverEngine, "counters">): AcmCounters {
  return { ...engine.counters(), error: edge.error, resolve: edge.resolve, noData: edge.noData };
}
