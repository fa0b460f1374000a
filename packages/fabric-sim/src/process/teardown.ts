/** Steps that undo what was set up, run once, last one first. */
export class Teardown {
  readonly #steps: (() => void | Promise<void>)[] = [];
  #running: Promise<void> | undefined;

  add(step: () => void | Promise<void>): void {
    this.#steps.push(step);
  }

  /** Runs all steps, even if one fails, and rejects with the first failure; again: the same promise. */
  run(): Promise<void> {
    this.#running ??= this.#runOnce();
    return this.#running;
  }

  async #runOnce(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
