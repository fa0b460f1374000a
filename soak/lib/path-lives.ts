import type { LoggedPath } from "@verbena/fabric-sim";
import { Spans } from "./spans.js";

/** An instant of the fabric's log. */
export interface Instant {
  readonly seq: number;
  readonly atMs: number;
}

/** A path as the fabric had it, from one moment to another. */
export interface Life {
  readonly path: LoggedPath;
  toSeq: number;
  /** When it ended, machine time; endless while it is there. */
  toMs: number;
}

const DEFAULT_PARTITION: ReadonlySet<string> = new Set(["0xffff", "0x7fff"]);

const ENDLESS = Number.POSITIVE_INFINITY;

/** All paths between host ports, those that are and those that were. */
export class PathLives {
  readonly #lives = new Map<string, Life[]>();
  /** `H1 H2` to the times in which a path was there. */
  readonly #gaps = new Map<string, Spans>();

  /** Lives of the paths from a host to a LID, oldest first. */
  lives(from: string, dlid: number): readonly Life[] {
    return this.#lives.get(`${from} ${dlid}`) ?? [];
  }

  /**
   * Whether there was no path from one host to another at an instant of that time, in the default partition: who asks without a source gets
   * the first endpoint of a port, and no answer of another one.
   */
  hadGap(from: string, to: string, fromMs: number, toMs: number): boolean {
    return this.#gaps.get(`${from} ${to}`)?.touches(fromMs, toMs) ?? true;
  }

  begin(path: LoggedPath, { atMs }: Instant): void {
    const key = `${hostOf(path.from)} ${path.dlid}`;
    const lives = this.#lives.get(key) ?? [];
    this.#lives.set(key, lives);
    lives.push({ path, toSeq: ENDLESS, toMs: ENDLESS });
    if (path.pkeys.some((pkey) => DEFAULT_PARTITION.has(pkey))) this.#gapsOf(path.from, path.to).end(atMs);
  }

  end(from: string, dlid: number, to: string, { seq, atMs }: Instant): void {
    const life = this.#lives.get(`${hostOf(from)} ${dlid}`)?.findLast(({ path }) => path.to === to);
    if (life?.toSeq !== ENDLESS) return;
    life.toSeq = seq;
    life.toMs = atMs;
    this.#gapsOf(from, to).begin(atMs);
  }

  #gapsOf(from: string, to: string): Spans {
    const key = `${hostOf(from)} ${hostOf(to)}`;
    const spans = this.#gaps.get(key) ?? new Spans();
    this.#gaps.set(key, spans);
    return spans;
  }
}

function hostOf(end: string): string {
  return end.slice(0, end.indexOf("["));
}
