import { decodeNotice, Gid, TrapNumber } from "@verbena/ib";
import type { AddressTable } from "../addresses/address-table.js";
import { describeAddress } from "../control/describe.js";
import { Listeners } from "../fabric/events.js";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";
import type { FabricHost } from "../host/fabric-host.js";
import type { SaServer } from "../sa/sa-server.js";
import type { SubnetManager } from "../sm/subnet-manager.js";
import { loggedPort } from "./describe-port.js";
import type { FabricLogEntry, FabricLogFact } from "./entries.js";
import { PathHistory } from "./path-history.js";
import { reportIn } from "./report-in.js";
import { TableHistory } from "./table-history.js";

/** What a log looks at. */
export interface LoggedSimulation {
  readonly fabric: Fabric;
  readonly sm: SubnetManager;
  readonly sa: SaServer;
  readonly host: FabricHost;
  readonly addresses: AddressTable;
}

/** Word of a change, which programs get after what it tells of has become true. */
const ANNOUNCEMENTS: ReadonlySet<FabricLogFact["type"]> = new Set(["sm", "async-event", "notice"]);

/**
 * Writes down what happens in a fabric. Entries are collected while one piece of work runs and written at its end: first what is
 * new, paths included, then what was announced. No program can act between. Nothing is watched while nobody listens.
 */
export class EventLog {
  readonly #listeners = new Listeners<FabricLogEntry>();
  readonly #hcas: readonly FabricNode[];
  #open: OpenLog | undefined;
  #seq = 0;

  constructor(private readonly simulation: LoggedSimulation) {
    this.#hcas = simulation.fabric.nodes.filter((node) => node.kind === "ca");
  }

  /** Number of the last entry. */
  get seq(): number {
    return this.#seq;
  }

  /** Gives a snapshot, and then every entry; returns a function that ends it. */
  listen(listener: (entry: FabricLogEntry) => void): () => void {
    this.flush();
    this.#open ??= new OpenLog(this.simulation, (facts) => {
      const atMs = this.#nowMs();
      for (const fact of facts) this.#listeners.emit({ seq: ++this.#seq, atMs, ...fact });
    });
    listener({ seq: this.#seq, atMs: this.#nowMs(), ...this.#snapshot(this.#open) });
    const stop = this.#listeners.add(listener);
    return () => {
      stop();
      if (this.#listeners.isEmpty) this.close();
    };
  }

  /** Notes a request that is about to be carried out. */
  command(request: object): void {
    this.#open?.note({ type: "command", request });
  }

  /** Writes what has been collected now. */
  flush(): void {
    this.#open?.flush();
  }

  close(): void {
    this.#open?.close();
    this.#open = undefined;
  }

  #nowMs(): number {
    return this.simulation.fabric.services.clock.now();
  }

  #snapshot({ tables, paths }: OpenLog): FabricLogFact {
    const { fabric, addresses } = this.simulation;
    const all = paths.all();
    return {
      type: "snapshot",
      ports: cabledPorts(fabric.nodes).map(loggedPort),
      tables: tables.all(),
      addresses: addresses.all().map((entry) => describeAddress(entry, "add", this.#hcas)),
      ...(all === undefined ? {} : { paths: all }),
    };
  }
}

/** The log while somebody listens. */
class OpenLog {
  readonly tables: TableHistory;
  readonly paths: PathHistory;
  readonly #ports = new Map<FabricPort, string>();
  readonly #changed = new Set<FabricPort>();
  readonly #stops: readonly (() => void)[];
  #facts: FabricLogFact[] = [];
  #isDirty = false;
  #isFlushDue = false;

  constructor(
    simulation: LoggedSimulation,
    private readonly write: (facts: readonly FabricLogFact[]) => void,
  ) {
    const { fabric, sm, sa, host, addresses } = simulation;
    this.tables = new TableHistory(fabric, () => {
      this.#touch();
    });
    this.tables.look();
    this.paths = new PathHistory(fabric);
    this.paths.look();
    for (const port of cabledPorts(fabric.nodes)) this.#ports.set(port, JSON.stringify(loggedPort(port)));
    const hcas = fabric.nodes.filter((node) => node.kind === "ca");
    this.#stops = [
      fabric.events.add((event) => {
        const { type, port } = event;
        this.#changed.add(port);
        this.#touch();
        if (type === "link") this.note({ type, end: port.name, isUp: event.isUp });
        else if (type === "async-event") this.note({ type, end: port.name, event: event.event });
      }),
      sm.changes.add((change) => {
        const { type } = change;
        if (type === "taken-over") this.note({ type: "sm", change: type });
        else if ("port" in change) this.note({ type: "sm", change: type, name: change.port.name });
        else this.note({ type: "sm", change: type, name: Gid.format(change.record.mgid) });
      }),
      sa.behaviour.changes.add((mode) => {
        this.note({ type: "sa", mode, ...(mode === "slow" ? { delayMs: sa.behaviour.delayMs } : {}) });
      }),
      addresses.changes.add(({ event, address }) => {
        this.note({ type: "address", address: describeAddress(address, event, hcas) });
      }),
      host.deliveries.add(({ port, packet }) => {
        const report = reportIn(packet);
        if (report !== undefined) this.note(noticeFact(port, report));
      }),
    ];
  }

  note(fact: FabricLogFact): void {
    this.#facts.push(fact);
    this.#flushSoon();
  }

  flush(): void {
    this.#isFlushDue = false;
    const facts = this.#facts;
    this.#facts = [];
    const news = this.#isDirty ? this.#look() : [];
    this.write([
      ...facts.filter(({ type }) => !ANNOUNCEMENTS.has(type)),
      ...news,
      ...facts.filter(({ type }) => ANNOUNCEMENTS.has(type)),
    ]);
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.tables.close();
  }

  #touch(): void {
    this.#isDirty = true;
    this.#flushSoon();
  }

  #look(): FabricLogFact[] {
    this.#isDirty = false;
    const news: FabricLogFact[] = this.tables.look().map((tables) => ({ type: "tables", tables }));
    for (const port of this.#changed) {
      const logged = loggedPort(port);
      const text = JSON.stringify(logged);
      if (this.#ports.get(port) !== text) news.push({ type: "port", port: logged });
      this.#ports.set(port, text);
    }
    this.#changed.clear();
    const changes = this.paths.look();
    if (changes !== undefined) news.push({ type: "paths", ...changes });
    return news;
  }

  /** At the end of the work that runs now, before any other work. */
  #flushSoon(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    queueMicrotask(() => {
      if (this.#isFlushDue) this.flush();
    });
  }
}

function cabledPorts(nodes: readonly FabricNode[]): readonly FabricPort[] {
  return nodes.flatMap(({ ports }) => ports).filter((port) => port.cable !== undefined || port.number === 0);
}

const GID_NOTICES: ReadonlySet<number> = new Set([
  TrapNumber.GID_IN_SERVICE,
  TrapNumber.GID_OUT_OF_SERVICE,
  TrapNumber.MGID_CREATED,
  TrapNumber.MGID_DELETED,
]);
const GID_AT = 6;

function noticeFact(port: FabricPort, data: Buffer): FabricLogFact {
  const { trapNumber, issuerLid, details } = decodeNotice(data);
  return {
    type: "notice",
    end: port.name,
    trapNumber,
    issuerLid,
    ...(GID_NOTICES.has(trapNumber) ? { gid: Gid.format(Gid.read(Buffer.from(details), GID_AT)) } : {}),
  };
}
