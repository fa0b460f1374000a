/** Counts that are kept elsewhere, and brought in before anybody looks at the books. */
export class Tally {
  readonly #sources = new Set<() => void>();

  /** `bring` adds to the books what has been counted since it was called last. Gives the function that takes it out. */
  add(bring: () => void): () => void {
    this.#sources.add(bring);
    return () => this.#sources.delete(bring);
  }

  bring(): void {
    for (const bring of this.#sources) bring();
  }
}
