import { readFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import type { ClientIdentity, ClientUsage } from "./contract.js";

/** Clients kept; the one not heard of for longest goes first. */
export const MAX_CLIENTS = 1_024;
/** Requests whose SA queries still find their client. A lookup may go on when its request has ended. */
const MAX_CALLERS = 8_192;

/** The name of a process's command, or `undefined` where it cannot be known. Never rejects. */
export type CommandReader = (pid: number) => Promise<string | undefined>;

/** Reads `/proc/PID/comm`. */
export const procCommand: CommandReader = async (pid) => {
  try {
    return (await readFile(`/proc/${String(pid)}/comm`, "utf8")).trimEnd();
  } catch {
    return undefined;
  }
};

/** Who has an account: connections of one process share it. */
type Holder = Omit<ClientIdentity, "id"> & Partial<Pick<ClientIdentity, "id">>;

/** What one client has made of us, while it counts. */
interface Row {
  readonly kind: ClientIdentity["kind"];
  readonly pid: number | undefined;
  readonly uid: number | undefined;
  command: string | undefined;
  requests: number;
  cacheHits: number;
  errors: number;
  saQueries: number;
  lastSeen: number;
}

/**
 * Who asks, and who makes us ask the SA. One row per process (kind, pid, uid); clients without a pid share one per kind. Bounded, whoever
 * connects.
 */
export class ClientBook {
  #forgotten = 0;
  readonly #rows: LRUCache<string, Row>;
  readonly #callers = new LRUCache<string, Row>({ max: MAX_CALLERS });

  constructor(
    private readonly readCommand: CommandReader = procCommand,
    maxClients = MAX_CLIENTS,
  ) {
    this.#rows = new LRUCache({
      max: maxClients,
      dispose: (_row, _key, reason) => {
        if (reason === "evict") this.#forgotten += 1;
      },
    });
  }

  /** Rows that had to make room for others. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Requests that were answered at once, the last of them at `now`. */
  hit(client: Holder, now: number, count = 1): void {
    const row = this.#row(client, now);
    row.requests += count;
    row.cacheHits += count;
  }

  /** A request that may have to be looked up; what it asks of the SA goes by its id. */
  request(client: ClientIdentity, requestId: string, now: number): { cacheHits: number; errors: number } {
    const row = this.#row(client, now);
    row.requests += 1;
    this.#callers.set(requestId, row);
    return row;
  }

  /** A query has gone to the SA, a repeat included. Those of providers on their own account (tables, registrations) are nobody's. */
  saQuery(requestId: string | undefined): void {
    const row = requestId === undefined ? undefined : this.#callers.get(requestId);
    if (row !== undefined) row.saQueries += 1;
  }

  /** Who asks the SA most comes first. */
  list(now: number): readonly ClientUsage[] {
    return [...this.#rows.values()]
      .map(({ kind, pid, uid, command, requests, cacheHits, errors, saQueries, lastSeen }) => ({
        kind,
        ...(pid === undefined ? {} : { pid }),
        ...(uid === undefined ? {} : { uid }),
        ...(command === undefined ? {} : { command }),
        requests,
        cacheHits,
        errors,
        saQueries,
        idleMs: now - lastSeen,
      }))
      .sort((a, b) => b.saQueries - a.saQueries || b.requests - a.requests);
  }

  #row({ kind, pid, uid }: Holder, now: number): Row {
    const key = `${kind} ${String(pid)} ${String(uid)}`;
    const row = this.#rows.get(key) ?? this.#add(key, { kind, pid, uid });
    row.lastSeen = Math.max(row.lastSeen, now);
    return row;
  }

  #add(key: string, { kind, pid, uid }: Pick<Row, "kind" | "pid" | "uid">): Row {
    const row: Row = {
      kind,
      pid,
      uid,
      command: undefined,
      requests: 0,
      cacheHits: 0,
      errors: 0,
      saQueries: 0,
      lastSeen: 0,
    };
    this.#rows.set(key, row);
    if (pid !== undefined) {
      void this.readCommand(pid).then((command) => {
        row.command = command;
      });
    }
    return row;
  }
}
