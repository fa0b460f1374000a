/** A try that was not needed makes the gaps so much longer… */
const SLOWER = 1.5;
/** … up to this… */
const SLOWEST = 16;
/** … and an answer to a first try this much shorter. */
const FASTER = 0.9;

/**
 * By how much gaps are longer than they would be on a quiet fabric. Two answers to one request tell that its repeat was not needed: the first answer was late, not
 * lost, and asking more often would make it later. Packets that are lost tell nothing of the kind, and change nothing.
 */
export class Pace {
  #factor = 1;

  /** 1 to 16. */
  get factor(): number {
    return this.#factor;
  }

  /** A second answer to a request that was sent more than once. */
  wasNeedless(): void {
    this.#factor = Math.min(SLOWEST, this.#factor * SLOWER);
  }

  /** The first try has been answered before it was repeated. */
  wasPrompt(): void {
    this.#factor = Math.max(1, this.#factor * FASTER);
  }
}
