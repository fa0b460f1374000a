import {
  type ControlRequest,
  type FabricLogEntry,
  type LoggedPort,
  type SaMode,
  SimControlClient,
} from "@verbena/fabric-sim";
import { NoticeStorm } from "./notice-storm.js";
import { type Life, PathLives } from "./path-lives.js";
import { type Place, Places } from "./places.js";
import { Spans } from "./spans.js";

/** Something a node was told. */
export interface Told {
  readonly seq: number;
  readonly atMs: number;
  /** By then a daemon has followed. */
  readonly followedByMs: number;
  readonly node: string;
  /** An event of the own port, or the number of a notice. */
  readonly what: string;
  /** Of a notice about a port. */
  readonly gid?: string;
  readonly issuerLid?: number;
}

/** Modes in which the SA's answers come in time, with the right transaction id. */
const HARMLESS_MODES: ReadonlySet<SaMode> = new Set(["normal", "twice"]);
/** How long the SA keeps an answer in the mode `unordered` (docs/simulator.md). */
const UNORDERED_WAIT_MS = 100;

/** Everything the fabric has written down: the lives of all paths, what each node was told of, and what was wrong when. */
export class FabricHistory {
  readonly told: Told[] = [];
  readonly paths = new PathLives();
  /** When the fabric itself could not take its turn in time, on a busy machine. */
  readonly late = new Spans();
  readonly #places = new Places();
  readonly #lids = new Places();
  readonly #storms = new Map<string, NoticeStorm>();
  readonly #ports = new Map<string, Spans>();
  readonly #lossy = new Map<string, Spans>();
  readonly #sa = new Spans();
  readonly #late: { readonly fromMs: number; toMs: number; readonly lateMs: number }[] = [];
  #lastSeq = 0;
  readonly #abort = new AbortController();
  #reader: Promise<void> | undefined;

  /** Follows the fabric in `dir` from now on; resolves when the first state of it has been read. */
  static async follow(dir: string): Promise<FabricHistory> {
    const history = new FabricHistory();
    await new Promise<void>((ready, reject) => {
      history.#reader = history.#read(dir, ready).catch(reject);
    });
    return history;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Lives of the paths from a host to a LID, oldest first. */
  lives(from: string, dlid: number): readonly Life[] {
    return this.paths.lives(from, dlid);
  }

  /** Where an IP address or an alias GID has been, oldest first. */
  places(address: string): readonly Place[] {
    return this.#places.of(address);
  }

  /** LIDs that a host has had, oldest first. */
  lidsOf(node: string): readonly Place[] {
    return this.#lids.of(node);
  }

  /** Whether the port of a host was not active. */
  wasDown(node: string, fromMs: number, toMs: number): boolean {
    return this.#ports.get(node)?.touches(fromMs, toMs) ?? false;
  }

  /** Whether packets from a host were lost by a fault that was set. */
  wasLossy(node: string, fromMs: number, toMs: number): boolean {
    return this.#lossy.get(node)?.touches(fromMs, toMs) ?? false;
  }

  /** Whether the built-in SA was anything but well. */
  hadSaFault(fromMs: number, toMs: number): boolean {
    return this.#sa.touches(fromMs, toMs);
  }

  /** The longest time for which the SA held back an answer that it had then, or was about to send. */
  saDelayMs(atMs: number): number {
    const then = this.#late.filter(({ fromMs, toMs, lateMs }) => fromMs <= atMs && toMs + lateMs >= atMs);
    return Math.max(0, ...then.map(({ lateMs }) => lateMs));
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#reader;
  }

  async #read(dir: string, ready: () => void): Promise<void> {
    for await (const entry of SimControlClient.watchEvents(dir, { signal: this.#abort.signal })) {
      this.#take(entry);
      ready();
    }
  }

  #take(entry: FabricLogEntry): void {
    const { seq, atMs } = entry;
    this.#lastSeq = seq;
    switch (entry.type) {
      case "snapshot":
        for (const path of entry.paths ?? []) this.paths.begin(path, entry);
        for (const port of entry.ports) this.#port(port, entry);
        for (const { address, node } of entry.addresses) this.#places.come(address, node, entry);
        break;
      case "paths":
        for (const { from, dlid, to } of entry.removed) this.paths.end(from, dlid, to, entry);
        for (const path of entry.changed) {
          this.paths.end(path.from, path.dlid, path.to, entry);
          this.paths.begin(path, entry);
        }
        break;
      case "port":
        this.#port(entry.port, entry);
        break;
      case "address": {
        const { address, node, event } = entry.address;
        if (event === "add") this.#places.come(address, node, entry);
        else this.#places.go(address, node, entry);
        break;
      }
      case "command":
        this.#command(entry.request as ControlRequest, atMs);
        break;
      case "sa":
        this.#saMode(entry.mode, atMs, entry.delayMs);
        break;
      case "async-event":
        this.told.push({ seq, atMs, followedByMs: atMs, node: nodeOf(entry.end), what: entry.event });
        break;
      case "notice": {
        const { end, trapNumber, issuerLid, gid } = entry;
        const node = nodeOf(end);
        const about = gid === undefined ? {} : { gid };
        const followedByMs = known(this.#storms, node, NoticeStorm).followedByMs(atMs);
        this.told.push({ seq, atMs, followedByMs, node, what: String(trapNumber), issuerLid, ...about });
        break;
      }
      default:
    }
  }

  #port({ end, state, lid, gids }: LoggedPort, at: Pick<FabricLogEntry, "seq" | "atMs">): void {
    const spans = known(this.#ports, nodeOf(end), Spans);
    if (state === "active") spans.end(at.atMs);
    else spans.begin(at.atMs);
    this.#lids.move(nodeOf(end), String(lid), at);
    this.#places.keepGids(nodeOf(end), new Set(gids.slice(1).filter((gid) => gid !== "::")), at);
  }

  #command(request: ControlRequest, atMs: number): void {
    if (request.op !== "fault") return;
    if (request.action === "set" && request.end !== undefined) {
      const spans = known(this.#lossy, nodeOf(request.end), Spans);
      if ((request.lossPercent ?? 0) > 0) spans.begin(atMs);
      else spans.end(atMs);
    }
    if (request.action === "clear") for (const spans of this.#lossy.values()) spans.end(atMs);
  }

  #saMode(mode: SaMode, atMs: number, delayMs: number | undefined): void {
    if (HARMLESS_MODES.has(mode)) this.#sa.end(atMs);
    else this.#sa.begin(atMs);
    const last = this.#late.at(-1);
    if (last?.toMs === Number.POSITIVE_INFINITY) last.toMs = atMs;
    const lateMs = mode === "unordered" ? UNORDERED_WAIT_MS : (delayMs ?? 0);
    if (lateMs > 0) this.#late.push({ fromMs: atMs, toMs: Number.POSITIVE_INFINITY, lateMs });
  }
}

function known<V>(map: Map<string, V>, key: string, Value: new () => V): V {
  const value = map.get(key) ?? new Value();
  map.set(key, value);
  return value;
}

/** `H1[1]` -> `H1`. */
export function nodeOf(end: string): string {
  return end.replace(/\[\d+\]$/, "");
}
