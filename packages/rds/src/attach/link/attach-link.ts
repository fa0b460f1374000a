/** A connection between a process and the stack that it is attached to: bytes in order, both ways. */
export interface AttachLink {
  /** Sends, in order; the bytes are the link's from then on. What cannot leave at once waits; after the end it is dropped. */
  send(bytes: Buffer, more?: Buffer): void;
  /** Bytes that wait to leave. */
  readonly backlog: number;
  /** Reads no more until told to go on. */
  pause(): void;
  resume(): void;
  /** Sends what waits, and then that this is all; the other side's end comes as {@link LinkEvents.closed}. */
  end(): void;
  /** At once, without a word. */
  destroy(): void;
}

/** What a link tells. Never from within a call of the one that is told, but for `end` and `destroy`. */
export interface LinkEvents {
  /** Bytes have come; they are the taker's. */
  received(bytes: Buffer): void;
  /** What waited has left. */
  drained(): void;
  /** Once, last: it is over, by the other side's end or by a fault. */
  closed(error: Error | undefined): void;
}
