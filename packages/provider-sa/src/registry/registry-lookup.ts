import type { AddressAnswer, Destination, Logger, ResolveContext, RouteProvider } from "@verbena/core/sdk";
import { Gid } from "@verbena/ib";
import type { RegistryCounters } from "./registry-counters.js";
import type { RegistryQueries } from "./registry-queries.js";
import { type RegistryRecord, registryPkey } from "./registry-record.js";
import { serviceNameOf } from "./service-name.js";

export interface RegistryLookupOptions {
  readonly queries: RegistryQueries;
  readonly routes: RouteProvider;
  readonly counters: RegistryCounters;
  readonly logger: Logger;
  readonly ttlMs: number;
}

/** Registrations of one address that are looked at; who floods the SA shall not make us flood it too. */
const MOST_CANDIDATES = 8;
/** Addresses whose duplicates are remembered as told. */
const MOST_TOLD = 256;

/**
 * Finds names and IPs that other hosts have registered. Of several ports that claim one address the newest counts, and is passed over if no
 * path leads there. An answer lives `ttlMs`: the SA announces no change of a ServiceRecord.
 */
export class RegistryLookup {
  readonly #options: RegistryLookupOptions;
  /** ServiceName to the ports that were last reported. */
  readonly #told = new Map<string, string>();

  constructor(options: RegistryLookupOptions) {
    this.#options = options;
  }

  get ttlMs(): number {
    return this.#options.ttlMs;
  }

  async find(to: Destination, context: ResolveContext): Promise<AddressAnswer | undefined> {
    const { queries, counters, logger } = this.#options;
    const serviceName = serviceNameOf(to);
    if (serviceName === undefined) return undefined;
    const name = { serviceName, pkey: registryPkey(context.endpoint.pkey) };
    const { signal, requestId } = context;
    const { records, ignored } = await queries.find(name, { signal, requestId });
    for (const problem of ignored) {
      counters.count("ignored");
      logger.debug("a registration is ignored", { serviceName, problem });
    }
    this.#noteDuplicates(serviceName, records);
    for (const record of records.slice(0, MOST_CANDIDATES)) {
      if (await this.#isReachable(record, context)) {
        counters.count("found");
        return { gid: record.gid, ttlMs: this.#ttlOf(record) };
      }
      counters.count("unreachable");
    }
    return undefined;
  }

  /** The path that shows it is the one that will be asked for next, so it goes to the route cache. */
  async #isReachable(record: RegistryRecord, context: ResolveContext): Promise<boolean> {
    const { endpoint } = context;
    const query = {
      sgid: endpoint.port.gids[0] ?? Gid.zero,
      dgid: record.gid,
      pkey: endpoint.pkey,
      reversible: true,
      maxPaths: 1,
    };
    const answer = await this.#options.routes.resolveRoute({ ...query, endpoint }, context);
    if (answer === undefined) return false;
    context.learn({ kind: "route", query, answer: { ...answer, ttlMs: this.#ttlOf(record) } });
    return true;
  }

  #ttlOf({ leaseSeconds }: RegistryRecord): number {
    return Math.min(this.#options.ttlMs, leaseSeconds * 1000);
  }

  /** Counted each time, logged when the ports are others than last time. */
  #noteDuplicates(serviceName: string, records: readonly RegistryRecord[]): void {
    if (records.length < 2) {
      this.#told.delete(serviceName);
      return;
    }
    this.#options.counters.count("duplicate");
    const gids = records.map(({ gid }) => Gid.format(gid));
    const ports = gids.join(" ");
    if (this.#told.get(serviceName) === ports) return;
    this.#told.delete(serviceName);
    this.#told.set(serviceName, ports);
    const [oldest] = this.#told.keys();
    if (this.#told.size > MOST_TOLD && oldest !== undefined) this.#told.delete(oldest);
    this.#options.logger.warn("several ports have registered one address; the first is used", { serviceName, gids });
  }
}
