/** Bytes 8–15 of the header: the client's own number for the request. */
const TID_OFFSET = 8;

/** The place of one request in its connection's order. */
export interface ReplySlot {
  readonly tid: bigint;
  reply: Buffer | undefined;
}

/** One request at the handler. Without a slot nothing is before it, so an immediate reply goes straight out. */
export class PendingReply {
  isAnswered = false;

  constructor(public slot: ReplySlot | undefined) {}
}

/**
 * Keeps the replies to requests with equal transaction id in the order of the requests. Stock clients send 0 in all of them and tell
 * replies apart by their order alone; a client that numbers its requests gets each reply as soon as it is there.
 */
export class ReplyOrder {
  readonly #queues = new Map<bigint, ReplySlot[]>();
  #open = 0;
  #heldBytes = 0;

  /** Requests without a reply that has gone out. */
  get open(): number {
    return this.#open;
  }

  /** Bytes of replies that wait for an earlier one. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** True while a reply to this request would have to wait for an earlier one. */
  isBehind(request: Buffer): boolean {
    return this.#queues.size > 0 && this.#queues.has(request.readBigUInt64BE(TID_OFFSET));
  }

  /** Takes a place for a request that was not answered at once. */
  enter(request: Buffer): ReplySlot {
    const slot: ReplySlot = { tid: request.readBigUInt64BE(TID_OFFSET), reply: undefined };
    const queue = this.#queues.get(slot.tid);
    if (queue === undefined) this.#queues.set(slot.tid, [slot]);
    else queue.push(slot);
    this.#open++;
    return slot;
  }

  /** Puts the reply into its place and gives those that may go out now, in order. */
  settle(slot: ReplySlot, reply: Buffer): readonly Buffer[] {
    slot.reply = reply;
    this.#heldBytes += reply.length;
    const queue = this.#queues.get(slot.tid);
    if (queue?.[0] !== slot) return [];
    const ready: Buffer[] = [];
    for (const { reply: bytes } of queue) {
      if (bytes === undefined) break;
      ready.push(bytes);
      this.#heldBytes -= bytes.length;
    }
    queue.splice(0, ready.length);
    if (queue.length === 0) this.#queues.delete(slot.tid);
    this.#open -= ready.length;
    return ready;
  }
}
