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

/** Life and children of one object. */
export class Resource {
  readonly #children = new Set<Child>();
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

  add(child: Child): void {
    this.#children.add(child);
  }

  remove(child: Child): void {
    this.#children.delete(child);
  }

  /** Closes the children, kind by kind, then calls `last`. The second call gives the first one's promise. */
  close(last: () => void | Promise<void>): Promise<void> {
    this.#closing ??= this.#close(last);
    return this.#closing;
  }

  async #close(last: () => void | Promise<void>): Promise<void> {
    for (const kind of CLOSING) {
      await Promise.all([...this.#children].filter((child) => child.kind === kind).map((child) => child.close()));
    }
    await last();
  }
}
