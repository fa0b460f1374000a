/** A number of credits, and who waits for one, in the order they came. */
export class Credits<T> {
  readonly #waiting = new Set<T>();
  #free: number;

  /** `grant` gets a credit to use or to {@link Credits.release}; it is called from {@link Credits.ask} and {@link Credits.release}. */
  constructor(
    count: number,
    private readonly grant: (to: T) => void,
  ) {
    this.#free = count;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  ask(who: T): void {
    if (this.#free > 0) {
      this.#free -= 1;
      this.grant(who);
    } else this.#waiting.add(who);
  }

  leave(who: T): void {
    this.#waiting.delete(who);
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    this.grant(next);
  }
}
