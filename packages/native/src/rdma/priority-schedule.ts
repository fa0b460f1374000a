/**
 * Whose turn it is among classes of priority: the most urgent one that has work, but one turn of `lowerShare` goes to one of the lower
 * ones, which take it in rotation. Pure.
 */
export class PrioritySchedule {
  /** Turns of a higher class while a lower one had work. */
  #waited = 0;
  #lastLower = -1;

  constructor(private readonly lowerShare: number) {}

  /** The class among `ready`, in ascending order (0 is the most urgent), that gets the next turn; `undefined` if there is none. */
  pick(ready: readonly number[]): number | undefined {
    const [highest, ...lower] = ready;
    if (highest === undefined || lower.length === 0) {
      this.#waited = 0;
      return highest;
    }
    this.#waited++;
    if (this.#waited < this.lowerShare) return highest;
    this.#waited = 0;
    const next = lower.find((candidate) => candidate > this.#lastLower) ?? lower[0];
    this.#lastLower = next ?? -1;
    return next;
  }
}
