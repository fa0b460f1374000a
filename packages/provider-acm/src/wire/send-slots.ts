/** Numbered places of a send buffer, each with who is told when the device is through with it. */
export class SendSlots {
  readonly #free: number[];
  readonly #done = new Map<number, () => void>();

  constructor(count: number) {
    this.#free = Array.from({ length: count }, (_, slot) => count - 1 - slot);
  }

  take(done: () => void): number | undefined {
    const slot = this.#free.pop();
    if (slot !== undefined) this.#done.set(slot, done);
    return slot;
  }

  /** The request was not posted after all. */
  putBack(slot: number): void {
    this.#done.delete(slot);
    this.#free.push(slot);
  }

  /** The device is through with it. */
  complete(slot: number): void {
    const done = this.#done.get(slot);
    if (done === undefined) return;
    this.putBack(slot);
    done();
  }
}
