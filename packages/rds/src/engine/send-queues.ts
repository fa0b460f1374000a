import { nextSequence, type Sequence } from "../wire/sequence.js";
import { Fifo } from "./fifo.js";
import type { OutgoingMessage } from "./outgoing-message.js";

/**
 * A peer's messages: those to be sent again, those never sent, those sent and not acknowledged. Numbers are given when a message is first
 * sent, so that they rise in the order of sending: a receiver takes a repeated message for old once it has seen a later number.
 */
export class SendQueues {
  readonly #again = new Fifo<OutgoingMessage>();
  readonly #fresh = new Fifo<OutgoingMessage>();
  readonly #unacked = new Fifo<OutgoingMessage>();
  #next: Sequence;

  constructor(firstSequence: Sequence) {
    this.#next = firstSequence;
  }

  get length(): number {
    return this.#again.length + this.#fresh.length + this.#unacked.length;
  }

  get nextSequence(): Sequence {
    return this.#next;
  }

  add(message: OutgoingMessage): void {
    this.#fresh.push(message);
  }

  /** The next to send; counts as sent. `probe` makes one that goes between the repeated and the fresh. */
  next(probe: (() => OutgoingMessage) | undefined): OutgoingMessage | undefined {
    const message = this.#again.shift() ?? probe?.() ?? this.#fresh.shift();
    if (message === undefined) return undefined;
    if (message.sequence === undefined) {
      message.number(this.#next);
      this.#next = nextSequence(this.#next);
    }
    this.#unacked.push(message);
    return message;
  }

  /** Takes out the first one, if it ends at or before a position of the connection. */
  shiftAcked(position: number): OutgoingMessage | undefined {
    const first = this.#unacked.peek();
    return first !== undefined && first.end <= position ? this.#unacked.shift() : undefined;
  }

  /** The connection has gone: what it had not delivered for sure is sent again, but for probes, of which each connection has its own. */
  requeue(): void {
    const sent = this.#unacked.drain();
    for (const message of sent) if (message.isProbe) message.leave(true);
    const messages = sent.filter(({ isProbe }) => !isProbe);
    for (const message of messages) message.markRetransmitted();
    this.#again.unshiftAll(messages);
  }

  cancel(isWanted: (message: OutgoingMessage) => boolean): readonly OutgoingMessage[] {
    return [this.#again, this.#fresh, this.#unacked].flatMap((queue) => [...queue.removeWhere(isWanted)]);
  }

  /** Lets go blocks of memory that few messages keep. */
  settle(): void {
    for (const queue of [this.#again, this.#fresh, this.#unacked]) for (const message of queue) message.settle();
  }

  /** Not sent on this connection, in order, with the numbers they have or are going to have. */
  *waiting(): Generator<readonly [OutgoingMessage, Sequence]> {
    let next = this.#next;
    for (const message of this.#again) yield [message, message.sequence ?? 0];
    for (const message of this.#fresh) {
      yield [message, next];
      next = nextSequence(next);
    }
  }

  /** Sent and not acknowledged, in order. */
  *unacked(): Generator<readonly [OutgoingMessage, Sequence]> {
    for (const message of this.#unacked) yield [message, message.sequence ?? 0];
  }
}
