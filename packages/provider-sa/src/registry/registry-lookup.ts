import type {
  AddressAnswer,
  Clock,
  Destination,
  Logger,
  ResolveContext,
  RouteProvider,
  SaNotice,
} from "@verbena/core/sdk";
import { Gid, type PKey } from "@verbena/ib";
import { FetchWatch } from "../table-changes.js";
import type { RegistryCounters } from "./registry-counters.js";
import type { RegistryQueries } from "./registry-queries.js";
import { type RegistryRecord, registryPkey } from "./registry-record.js";
import { serviceNameOf } from "./service-name.js";

export interface RegistryLookupOptions {
  readonly queries: RegistryQueries;
  readonly routes: RouteProvider;
  readonly counters: RegistryCounters;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ttlMs: number;
  /** How long a port counts as reachable after a path to it was found. */
  readonly reachableMs: number;
}

/** Registrations of one address that are looked at; who floods the SA shall not make us flood it too. */
const MOST_CANDIDATES = 8;
/** Addresses whose duplicates are remembered as told. */
const MOST_TOLD = 256;
/** Ports that are remembered as reachable. */
const MOST_REACHED = 4_096;

/**
 * Finds names and IPs that other hosts have registered. Of several ports that claim one address the newest counts, and is passed over if no
 * path leads there. An answer lives `ttlMs`: the SA announces no change of a ServiceRecord.
 */
export class RegistryLookup {
  readonly #options: RegistryLookupOptions;
  /** ServiceName to the ports that were last reported. */
  readonly #told = new Map<string, string>();
  /** Ports that a path led to: by GID and partition, until when that is believed. */
  #reached = new Map<Gid, Map<PKey, number>>();
  readonly #searches = new FetchWatch();

  constructor(options: RegistryLookupOptions) {
    this.#options = options;
  }

  get ttlMs(): number {
    return this.#options.ttlMs;
  }

  /** Something has happened to the port or the fabric: what was reachable may not be any more. */
  forget(): void {
    // Another one, so that searches under way see that theirs is over.
    this.#reached = new Map();
  }

  /** A port that left is not reachable, whatever is registered there; paths that are being asked for may be older than the notice. */
  onNotice(notice: SaNotice): void {
    if (notice.type !== "gid-out") return;
    this.#searches.note([notice.gid]);
    this.#reached.delete(notice.gid);
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
  async #isReachable({ gid, pkey }: RegistryRecord, context: ResolveContext): Promise<boolean> {
    const { clock, routes, reachableMs } = this.#options;
    const { endpoint } = context;
    if ((this.#reached.get(gid)?.get(pkey) ?? 0) > clock.now()) return true;
    const sgid = endpoint.port.gids[0] ?? Gid.zero;
    const query = { sgid, dgid: gid, pkey: endpoint.pkey, reversible: true, maxPaths: 1 };
    const reached = this.#reached;
    return this.#searches.during(async (changed) => {
      const answer = await routes.resolveRoute({ ...query, endpoint }, context);
      if (answer === undefined) return false;
      if (reached === this.#reached && !changed.has(gid)) {
        remember(reached, gid, new Map(reached.get(gid)).set(pkey, clock.now() + reachableMs), MOST_REACHED);
      }
      context.learn({ kind: "route", query, answer });
      return true;
    });
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
    remember(this.#told, serviceName, ports, MOST_TOLD);
    this.#options.logger.warn("several ports have registered one address; the first is used", { serviceName, gids });
  }
}

/** The oldest makes room. */
function remember<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
