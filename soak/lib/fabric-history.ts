import { type FabricLogEntry, type LoggedPath, SimControlClient } from "@verbena/fabric-sim";

/** A path as the fabric had it, from one moment to another. */
interface Life {
  readonly path: LoggedPath;
  readonly fromSeq: number;
  toSeq: number;
  /** When it ended, machine time; endless while it is there. */
  toMs: number;
}

/** Something a node was told. */
export interface Told {
  readonly seq: number;
  readonly atMs: number;
  readonly node: string;
  /** An event of the own port, or the number of a notice. */
  readonly what: string;
  /** Of a notice about a port. */
  readonly gid?: string;
  readonly issuerLid?: number;
}

/** Everything the fabric has written down: the lives of all paths, and what each node was told of. */
export class FabricHistory {
  readonly #lives = new Map<string, Life[]>();
  readonly told: Told[] = [];
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
    return this.#lives.get(`${from} ${dlid}`) ?? [];
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
        for (const path of entry.paths ?? []) this.#begin(path, seq);
        break;
      case "paths":
        for (const { from, dlid, to } of entry.removed) this.#end(from, dlid, to, seq, atMs);
        for (const path of entry.changed) {
          this.#end(path.from, path.dlid, path.to, seq, atMs);
          this.#begin(path, seq);
        }
        break;
      case "async-event":
        this.told.push({ seq, atMs, node: nodeOf(entry.end), what: entry.event });
        break;
      case "notice": {
        const { end, trapNumber, issuerLid, gid } = entry;
        const about = gid === undefined ? {} : { gid };
        this.told.push({ seq, atMs, node: nodeOf(end), what: String(trapNumber), issuerLid, ...about });
        break;
      }
      default:
    }
  }

  #begin(path: LoggedPath, fromSeq: number): void {
    const key = `${nodeOf(path.from)} ${path.dlid}`;
    const lives = this.#lives.get(key) ?? [];
    this.#lives.set(key, lives);
    lives.push({ path, fromSeq, toSeq: Number.POSITIVE_INFINITY, toMs: Number.POSITIVE_INFINITY });
  }

  #end(from: string, dlid: number, to: string, seq: number, atMs: number): void {
    const life = this.#lives.get(`${nodeOf(from)} ${dlid}`)?.findLast((one) => one.path.to === to);
    if (life?.toSeq !== Number.POSITIVE_INFINITY) return;
    life.toSeq = seq;
    life.toMs = atMs;
  }
}

/** `H1[1]` -> `H1`. */
export function nodeOf(end: string): string {
  return end.replace(/\[\d+\]$/, "");
}
