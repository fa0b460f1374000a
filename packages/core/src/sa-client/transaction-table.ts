import type { Transaction } from "./transaction.js";

/** The open transactions of a client: who waits for a place in the window, in order, and who holds one, by transaction id. */
export class TransactionTable {
  readonly #open = new Set<Transaction>();
  #queue = new Set<Transaction>();
  readonly #inFlight = new Map<number, Transaction>();
  #lastTid: number;

  /** `tid`: ids are counted up from here, low 32 bits. */
  constructor(tid: number) {
    this.#lastTid = tid >>> 0;
  }

  get queued(): number {
    return this.#queue.size;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** A list of its own: transactions may end while it is read. */
  open(): readonly Transaction[] {
    return [...this.#open];
  }

  byTid(tid: number): Transaction | undefined {
    return this.#inFlight.get(tid);
  }

  /** To the end of the queue. */
  enter(transaction: Transaction): void {
    this.#open.add(transaction);
    this.#queue.add(transaction);
  }

  /** Takes the first one out of the queue. */
  next(): Transaction | undefined {
    const [first] = this.#queue;
    if (first !== undefined) this.#queue.delete(first);
    return first;
  }

  /** It has been sent under its transaction id, and holds a place. */
  depart(transaction: Transaction): void {
    this.#inFlight.set(transaction.tid, transaction);
  }

  /** It gives its place up and waits for another one, under another transaction id. */
  requeue(transaction: Transaction): void {
    this.#withdraw(transaction);
    this.#queue.add(transaction);
  }

  /** All that have been sent go to the head of the queue, in their order. */
  requeueSent(): void {
    const sent = [...this.#inFlight.values()];
    for (const transaction of sent) this.#withdraw(transaction);
    this.#queue = new Set([...sent, ...this.#queue]);
  }

  /** It waits no more and holds no place; a later answer finds nobody. Returns whether a place has become free. */
  release(transaction: Transaction): boolean {
    this.#queue.delete(transaction);
    if (this.#inFlight.get(transaction.tid) !== transaction) return false;
    this.#inFlight.delete(transaction.tid);
    transaction.disarm();
    return true;
  }

  /** It is done. The same. */
  leave(transaction: Transaction): boolean {
    this.#open.delete(transaction);
    return this.release(transaction);
  }

  /** Who waits is left to the caller: a place that becomes free sends none of them. */
  clearQueue(): void {
    this.#queue.clear();
  }

  nextTid(): number {
    do {
      this.#lastTid = (this.#lastTid + 1) >>> 0;
    } while (this.#lastTid === 0 || this.#inFlight.has(this.#lastTid));
    return this.#lastTid;
  }

  #withdraw(transaction: Transaction): void {
    this.#inFlight.delete(transaction.tid);
    transaction.tid = 0;
    transaction.disarm();
    transaction.state = "queued";
  }
}
