import type { Clock, SaNotice, SaService } from "@verbena/core/sdk";
import {
  decodeNodeRecord,
  Gid,
  Guid,
  type Lid,
  NODE_RECORD_COMPONENTS,
  NODE_RECORD_SIZE,
  type NodeRecord,
  SaAttribute,
} from "@verbena/ib";
import { recordsOf } from "../sa-status.js";
import { endsOf, FetchWatch } from "../table-changes.js";
import { TimedValue } from "../timed-value.js";
import { type NamedPort, NodeNames } from "./node-names.js";

/**
 * A name that is not in a table of at least this age is looked for in a fresh one: the host may have booted since. While fresh tables do not
 * bring what is missed the age doubles, up to the second figure: a name that nobody has must not have the SA send all nodes again and again.
 */
const MISS_PAUSE_MS = 1_000;
const MISS_PAUSE_CAP_MS = 30_000;
/** So many ports that have come or changed are asked for singly; more, with the whole table. */
const MANY = 16;
/** Where NodeRecord holds NodeInfo:PortGUID (IBA 15.2.5.2, 14.2.5.3). */
const PORT_GUID_AT = 24;

interface Nodes {
  readonly byPort: Map<Guid, NodeRecord>;
  /** Made anew when a record has come or gone. */
  names: NodeNames | undefined;
}

/**
 * The fabric's nodes by name: one NodeRecord table, kept up by notices. What a notice is about is taken out at once, and asked for when
 * a name is missing: a notice reaches every host of the fabric at the same moment, and few of them want to know.
 */
export class NodeTable {
  readonly #sa: SaService;
  readonly #table: TimedValue<Nodes>;
  readonly #fetches = new FetchWatch();
  readonly #changed = new Set<Guid>();
  #asking: Promise<void> | undefined;
  #missPauseMs = MISS_PAUSE_MS;

  constructor(sa: SaService, clock: Clock, ttlMs: number) {
    this.#sa = sa;
    this.#table = new TimedValue(() => this.#fetches.during((changed) => this.#fetch(changed)), ttlMs, clock);
  }

  async find(name: string): Promise<NamedPort | undefined> {
    const known = findIn(await this.#table.get(), name);
    if (known !== undefined) return known;
    if (this.#changed.size > 0 && this.#changed.size <= MANY) {
      this.#asking ??= this.#askChanged().finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    const nodes = await this.#table.get();
    const come = findIn(nodes, name);
    if (come !== undefined) return come;
    if (this.#table.isOlderThan(this.#missPauseMs)) {
      this.#drop();
      this.#missPauseMs = Math.min(MISS_PAUSE_CAP_MS, this.#missPauseMs * 2);
    }
    // Also who has not dropped it may find that another has, whose name was missing too.
    const fresh = await this.#table.get();
    const found = fresh === nodes ? undefined : findIn(fresh, name);
    if (found !== undefined) this.#missPauseMs = MISS_PAUSE_MS;
    return found;
  }

  /** The next name is looked for in a fresh table. */
  forget(): void {
    this.#drop();
    this.#missPauseMs = MISS_PAUSE_MS;
  }

  onNotice(notice: SaNotice): void {
    const ends = endsOf(notice);
    this.#fetches.note(ends);
    const guids = [...guidsOf(ends)];
    const hasNew = notice.type === "gid-in" || notice.type === "local-change";
    const nodes = this.#table.current;
    if (nodes !== undefined) {
      for (const guid of guids) {
        if (nodes.byPort.delete(guid)) nodes.names = undefined;
        if (hasNew) this.#changed.add(guid);
        else this.#changed.delete(guid);
      }
    }
    // What is asked for singly needs no table.
    if (hasNew && (guids.length === 0 || this.#changed.size > MANY)) this.#missPauseMs = MISS_PAUSE_MS;
  }

  #drop(): void {
    this.#changed.clear();
    this.#table.drop();
  }

  async #fetch(changed: ReadonlySet<Gid | Lid>): Promise<Nodes> {
    const response = await this.#sa.query({
      method: "getTable",
      attributeId: SaAttribute.NODE_RECORD,
      componentMask: 0n,
      record: Buffer.alloc(NODE_RECORD_SIZE),
    });
    const records = recordsOf(response, "the NodeRecord table").map((record) => decodeNodeRecord(record));
    const byPort = new Map(records.map((record) => [record.nodeInfo.portGuid, record]));
    for (const guid of guidsOf(changed)) {
      byPort.delete(guid);
      this.#changed.add(guid);
    }
    return { byPort, names: undefined };
  }

  async #askChanged(): Promise<void> {
    const nodes = await this.#table.get();
    const guids = [...this.#changed];
    this.#changed.clear();
    await Promise.all(guids.map((guid) => this.#fetches.during((changed) => this.#askOne(nodes, guid, changed))));
  }

  async #askOne(nodes: Nodes, guid: Guid, changed: ReadonlySet<Gid | Lid>): Promise<void> {
    const wanted = Buffer.alloc(NODE_RECORD_SIZE);
    Guid.write(wanted, PORT_GUID_AT, guid);
    try {
      const response = await this.#sa.query({
        method: "get",
        attributeId: SaAttribute.NODE_RECORD,
        componentMask: NODE_RECORD_COMPONENTS.portGuid,
        record: wanted,
      });
      const [record] = recordsOf(response, "the NodeRecord of a port that has changed");
      if (record === undefined || [...guidsOf(changed)].includes(guid)) return;
      nodes.byPort.set(guid, decodeNodeRecord(record));
      nodes.names = undefined;
    } catch (error) {
      this.#changed.add(guid);
      throw error;
    }
  }
}

function findIn(nodes: Nodes, name: string): NamedPort | undefined {
  nodes.names ??= new NodeNames([...nodes.byPort.values()]);
  return nodes.names.find(name);
}

/** A port's first GID ends with its GUID; names hang on ports, so LIDs say nothing here. An SA may leave the GID of a notice empty. */
function* guidsOf(ends: Iterable<Gid | Lid>): IterableIterator<Guid> {
  for (const end of ends) if (typeof end === "bigint" && end !== Gid.zero) yield Guid.from(Gid.guid(end));
}
