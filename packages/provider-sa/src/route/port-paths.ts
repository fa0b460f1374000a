import type { Clock, Port, RouteQuery, SaNotice, SaService } from "@verbena/core/sdk";
import {
  decodePathRecord,
  emptyPathRecord,
  encodePathRecord,
  Gid,
  Lid,
  type PathRecord,
  PKey,
  pathRecordMask,
  SaAttribute,
} from "@verbena/ib";
import { recordsOf } from "../sa-status.js";
import { endsOf, FetchWatch } from "../table-changes.js";
import { TimedValue } from "../timed-value.js";
import { isPlain } from "./path-query.js";

/** All paths that leave a port in one partition, by destination. */
interface PathTable {
  readonly byGid: Map<Gid, PathRecord>;
  readonly byLid: Map<Lid, PathRecord>;
  /** Entries that notices have taken out. */
  taken: number;
}

/** So many entries gone are fetched again with the whole table, not one by one… */
const MANY = 64;
/** … unless it is younger than that: while a cluster boots the table changes all the time. */
const YOUNG_MS = 10_000;

/**
 * Paths fetched ahead: one GetTable per port and partition answers for every destination. What a notice is about is taken out of the table;
 * who asks for it has the SA asked singly. Nothing is fetched that nobody asks for: a notice reaches every host of the fabric at once.
 */
export class PortPaths {
  readonly #sgid: Gid;
  readonly #sa: SaService;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #tables = new Map<number, TimedValue<PathTable>>();
  readonly #fetches = new FetchWatch();

  constructor(port: Port, sa: SaService, clock: Clock, ttlMs: number) {
    this.#sgid = port.gids[0] ?? Gid.zero;
    this.#sa = sa;
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  /** `undefined` when the table cannot say: a special wish, another source, or a destination that is not in it. */
  async find(query: RouteQuery): Promise<PathRecord | undefined> {
    if (!isPlain(query) || query.sgid !== this.#sgid) return undefined;
    const table = await this.#table(query.pkey).get();
    const path = query.dgid === undefined ? table.byLid.get(query.dlid ?? Lid.zero) : table.byGid.get(query.dgid);
    if (path === undefined) return undefined;
    const fits =
      (query.slid === undefined || path.slid === query.slid) &&
      (query.dlid === undefined || path.dlid === query.dlid) &&
      (path.reversible || !query.reversible);
    return fits ? path : undefined;
  }

  forget(): void {
    this.#tables.clear();
  }

  onNotice(notice: SaNotice): void {
    const ends = endsOf(notice);
    if (ends.length === 0) return;
    this.#fetches.note(ends);
    for (const timed of this.#tables.values()) {
      const table = timed.current;
      if (table === undefined) continue;
      for (const end of ends) takeOut(table, end);
      if (table.taken > MANY && timed.isOlderThan(YOUNG_MS)) timed.drop();
    }
  }

  #table(pkey: PKey): TimedValue<PathTable> {
    const partition = PKey.base(pkey);
    let table = this.#tables.get(partition);
    if (table === undefined) {
      table = new TimedValue(() => this.#fetch(pkey), this.#ttlMs, this.#clock);
      this.#tables.set(partition, table);
    }
    return table;
  }

  #fetch(pkey: PKey): Promise<PathTable> {
    return this.#fetches.during((changed) => this.#ask(pkey, changed));
  }

  async #ask(pkey: PKey, changed: ReadonlySet<Gid | Lid>): Promise<PathTable> {
    const template = { sgid: this.#sgid, pkey, numbPath: 1 };
    const response = await this.#sa.query({
      method: "getTable",
      attributeId: SaAttribute.PATH_RECORD,
      componentMask: pathRecordMask(template),
      record: encodePathRecord(emptyPathRecord(template)),
    });
    const byGid = new Map<Gid, PathRecord>();
    const byLid = new Map<Lid, PathRecord>();
    for (const bytes of recordsOf(response, "the table of paths from this port")) {
      const path = decodePathRecord(bytes);
      if (!byGid.has(path.dgid)) byGid.set(path.dgid, path);
      if (!byLid.has(path.dlid)) byLid.set(path.dlid, path);
    }
    const table = { byGid, byLid, taken: 0 };
    for (const end of changed) takeOut(table, end);
    return table;
  }
}

/** Takes the entries of a GID or LID out: both, since a GID may come back with another LID. */
function takeOut(table: PathTable, end: Gid | Lid): void {
  const path = typeof end === "bigint" ? table.byGid.get(end) : table.byLid.get(end);
  if (path === undefined) return;
  table.taken += 1;
  table.byGid.delete(path.dgid);
  table.byLid.delete(path.dlid);
}
