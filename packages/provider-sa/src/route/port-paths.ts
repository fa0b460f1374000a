import type { Clock, Port, RouteQuery, SaService } from "@verbena/core/sdk";
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
import { TimedValue } from "../timed-value.js";
import { isPlain } from "./path-query.js";

/** All paths that leave a port in one partition, by destination. */
interface PathTable {
  readonly byGid: ReadonlyMap<Gid, PathRecord>;
  readonly byLid: ReadonlyMap<Lid, PathRecord>;
}

/** Paths fetched ahead: one GetTable per port and partition answers for every destination. */
export class PortPaths {
  readonly #sgid: Gid;
  readonly #sa: SaService;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #tables = new Map<number, TimedValue<PathTable>>();

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

  #table(pkey: PKey): TimedValue<PathTable> {
    const partition = PKey.base(pkey);
    let table = this.#tables.get(partition);
    if (table === undefined) {
      table = new TimedValue(() => this.#fetch(pkey), this.#ttlMs, this.#clock);
      this.#tables.set(partition, table);
    }
    return table;
  }

  async #fetch(pkey: PKey): Promise<PathTable> {
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
    return { byGid, byLid };
  }
}
