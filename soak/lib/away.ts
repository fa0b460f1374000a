/** Which hosts are cut off by a fault of ours, to tell a request that failed for that from one that should not have. */
export class Away {
  readonly #away = new Map<string, number>();
  readonly #times = new Map<string, number>();

  /** `node` is away until `work` has settled. */
  async during<T>(node: string, work: Promise<T>): Promise<T> {
    this.#away.set(node, (this.#away.get(node) ?? 0) + 1);
    this.#times.set(node, (this.#times.get(node) ?? 0) + 1);
    try {
      return await work;
    } finally {
      this.#away.set(node, (this.#away.get(node) ?? 1) - 1);
    }
  }

  isAway(node: string): boolean {
    return (this.#away.get(node) ?? 0) > 0;
  }

  /** From now on: whether one of the nodes was away now or has been since. */
  watch(nodes: readonly string[]): () => boolean {
    const wasAway = nodes.some((node) => this.isAway(node));
    const before = nodes.map((node) => this.#times.get(node) ?? 0);
    return () => wasAway || nodes.some((node, index) => (this.#times.get(node) ?? 0) > (before[index] ?? 0));
  }
}
