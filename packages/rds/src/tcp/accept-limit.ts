import type { Clock } from "@verbena/core/sdk";

/** Sources whose calls are counted; of those beyond, the ones not heard for longest are forgotten. */
const MAX_SOURCES = 4096;

/** How many calls may be taken, and when that was. */
interface Allowance {
  readonly calls: number;
  readonly at: number;
}

/** How many calls are taken per second: of one source, and of all. As many may come at once. */
export class AcceptLimit {
  readonly #sources = new Map<string, Allowance>();
  #all: Allowance;

  constructor(
    private readonly clock: Clock,
    private readonly perSecond: number,
    private readonly perSource: number,
  ) {
    this.#all = { calls: perSecond, at: clock.now() };
  }

  /** Whether one more call of the source is to be taken; it counts then. One that is not taken costs the others nothing. */
  allows(source: string): boolean {
    const now = this.clock.now();
    const known = this.#sources.get(source);
    const left = refilled(known ?? { calls: this.perSource, at: now }, this.perSource, now);
    const all = refilled(this.#all, this.perSecond, now);
    if (left.calls < 1 || all.calls < 1) return false;
    this.#all = { ...all, calls: all.calls - 1 };
    this.#sources.delete(source);
    this.#sources.set(source, { ...left, calls: left.calls - 1 });
    const [oldest] = this.#sources.keys();
    if (this.#sources.size > MAX_SOURCES && oldest !== undefined) this.#sources.delete(oldest);
    return true;
  }
}

const refilled = ({ calls, at }: Allowance, perSecond: number, now: number): Allowance => ({
  calls: Math.min(perSecond, calls + ((now - at) / 1000) * perSecond),
  at: now,
});
