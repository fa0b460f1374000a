/**
 * Whose turn it is among classes of priority: the most urgent one that has work, but one turn of `lowerShare` goes to one of the lower
 * ones, which take it in rotation. Two turns of lower classes never follow each other while a higher one has work, so what is urgent waits
 * for one of them at most. Pure.
 */
export class PrioritySchedule {
  /** Turns of a higher class while a lower one had work. */
  #waited = 0;
  #last = -1;
  #lastLower = -1;

  constructor(private readonly lowerShare: number) {}

  /** The class among `ready`, in ascending order (0 is the most urgent), that gets the next turn; `undefined` if there is none. */
  next(ready: readonly number[]): number | undefined {
    const [highest, ...lower] = ready;
    if (highest === undefined || lower.length === 0) return highest;
    if (this.#waited + 1 < this.lowerShare || this.#last > highest) return highest;
    return lower.find((candidate) => candidate > this.#lastLower) ?? lower[0];
  }

  /** The class `served` has had a turn while `ready` had work. A class that turned out to have nothing has had none. */
  took(served: number, ready: readonly number[]): void {
    const [highest, ...lower] = ready;
    this.#last = served;
    if (served === highest) {
      this.#waited = lower.length === 0 ? 0 : this.#waited + 1;
    } else {
      this.#waited = 0;
      this.#lastLower = served;
    }
  }
}
