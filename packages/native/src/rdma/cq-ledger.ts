import { nativeError } from "../errors.js";

/** Requests that the queues completing on one completion queue can have under way: it must hold a completion for each. */
export class CqLedger {
  readonly #shares = new Map<object, number>();
  #reserved = 0;

  /** Sum of all shares. */
  get reserved(): number {
    return this.#reserved;
  }

  /** True if `holder` has its share already. */
  has(holder: object): boolean {
    return this.#shares.has(holder);
  }

  /** Throws `VERBENA_NATIVE_CQ_OVERRUN` if `count` more do not fit into `depth`. */
  check(what: string, depth: number, count: number): void {
    const wanted = this.#reserved + count;
    if (wanted > depth) throw nativeError("VERBENA_NATIVE_CQ_OVERRUN", { details: { what, depth, wanted } });
  }

  /** Books the share of a work queue; of a shared receive queue once, however many queue pairs use it. */
  reserve(holder: object, count: number): void {
    if (this.#shares.has(holder)) return;
    this.#shares.set(holder, count);
    this.#reserved += count;
  }

  release(holder: object): void {
    this.#reserved -= this.#shares.get(holder) ?? 0;
    this.#shares.delete(holder);
  }
}
