import { nativeError } from "../errors.js";

/** Something that has been made and must be closed; parents close their children first, in the order of {@link CLOSING}. */
export interface Child {
  readonly kind: ChildKind;
  close(): Promise<void>;
}

/** Kinds in the order in which they are destroyed (what a kind refers to comes after it). */
const CLOSING = [
  "prepared",
  "queue-pair",
  "address-handle",
  "shared-receive-queue",
  "memory-region",
  "completion-queue",
  "channel",
  "protection-domain",
] as const;

/** Kinds of children. */
export type ChildKind = (typeof CLOSING)[number];

const ignore = (): void => undefined;

/** Life, children, and calls under way of one object. */
export class Resource {
  readonly #children = new Set<Child>();
  /** Settles with the last call of `change`. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #held = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(
    /** Names the object in errors. */
    readonly what: string,
  ) {}

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** Throws `VERBENA_NATIVE_CLOSED`. */
  mustBeOpen(): void {
    if (this.#closing !== undefined) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: this.what } });
  }

  has(child: Child): boolean {
    return this.#children.has(child);
  }

  add(child: Child): void {
    this.#children.add(child);
  }

  remove(child: Child): void {
    this.#children.delete(child);
  }

  /** A call that uses this object: `close()` waits until it has ended, well or not. */
  hold<T>(call: Promise<T>): Promise<T> {
    const ended = call.then(ignore, ignore);
    this.#held.add(ended);
    void ended.then(() => this.#held.delete(ended));
    return call;
  }

  /** Runs calls that change this object one after the other, in the order in which they were asked for. */
  change<T>(call: () => Promise<T>): Promise<T> {
    const result = this.#last.then(call);
    this.#last = result.catch(ignore);
    return this.hold(result);
  }

  /**
   * Waits for calls under way, closes the children, kind by kind, then calls `last`. The second call gives the first one's promise, unless that
   * was rejected: the object is open then, and may be closed once what was in the way has gone.
   */
  close(last: () => void | Promise<void>): Promise<void> {
    this.#closing ??= this.#close(last).catch((error: unknown) => {
      this.#closing = undefined;
      throw error;
    });
    return this.#closing;
  }

  async #close(last: () => void | Promise<void>): Promise<void> {
    while (this.#held.size > 0) await Promise.all(this.#held);
    for (const kind of CLOSING) {
      await Promise.all([...this.#children].filter((child) => child.kind === kind).map((child) => child.close()));
    }
    await last();
  }
}
