import { HEADER_BYTES, HeaderForm, OP, opOf, patternProblem, type StressEnd } from "./message.js";

/** Sizes of what is exchanged, bytes, and how much at once. */
export interface ExchangeRules {
  readonly depth: number;
  readonly requestBytes: number;
  readonly ackBytes: number;
  /** What must stand behind each header; `undefined`: anything. */
  readonly pattern: Buffer | undefined;
}

/** What a message that has come is to its exchange. */
export type Taken = { readonly op: "request" } | { readonly op: "ack"; readonly rttUs: number };

/**
 * What one child has to do with one child of the other side: requests under way, requests to be answered, and the numbers of both directions.
 * Requests are answered in the order they came in, so an ack is for the oldest under way.
 */
export class Exchange {
  /** The other child refused a send, and no congestion update has named its port since. */
  isCongested = false;
  /** Turns that this child leaves to its siblings, since it has just filled the other child's queue. */
  hold = 0;
  /** Requests sent so far. */
  requested = 0;
  readonly #out: HeaderForm;
  readonly #in: HeaderForm;
  /** When each of the requests that are under way was sent, microseconds. */
  readonly #sentUs: Float64Array;
  #sendSequence = 0;
  #receiveSequence = 0;
  #sendIndex = 0;
  #receiveIndex = 0;
  #pending = 0;
  #unanswered = 0;

  constructor(
    own: StressEnd,
    readonly peer: StressEnd,
    private readonly rules: ExchangeRules,
  ) {
    this.#out = new HeaderForm(own, peer);
    this.#in = new HeaderForm(peer, own);
    this.#sentUs = new Float64Array(rules.depth);
  }

  /** Requests under way. */
  get pending(): number {
    return this.#pending;
  }

  /** Whether a request waits for its ack. */
  get owesAck(): boolean {
    return this.#unanswered > 0;
  }

  /** Whether another request may go on its way. */
  get mayRequest(): boolean {
    return this.#pending < this.rules.depth;
  }

  /** Writes the header of the next request. */
  writeRequest(message: Buffer): void {
    this.#out.write(message, { sequence: this.#sendSequence, index: this.#sendIndex, op: OP.request });
  }

  /** It has been sent. */
  requestSent(nowUs: number): void {
    this.#sentUs[this.#sendIndex] = nowUs;
    this.#sendIndex = (this.#sendIndex + 1) % this.rules.depth;
    this.#sendSequence = (this.#sendSequence + 1) >>> 0;
    this.#pending += 1;
    this.requested += 1;
  }

  /** Writes the header of the ack that is owed longest. */
  writeAck(message: Buffer): void {
    this.#out.write(message, {
      sequence: this.#sendSequence,
      index: this.#before(this.#receiveIndex, this.#unanswered),
      op: OP.ack,
    });
  }

  /** It has been sent. */
  ackSent(): void {
    this.#sendSequence = (this.#sendSequence + 1) >>> 0;
    this.#unanswered -= 1;
  }

  /** Takes what came from the other child. Gives a text where it is not the next message in order, or not whole. */
  receive(message: Buffer, nowUs: number): Taken | string {
    const { depth, requestBytes, ackBytes } = this.rules;
    const op = opOf(message);
    const isRequest = op === OP.request;
    if (!isRequest && op !== OP.ack) return `unknown op ${String(op)}`;
    const length = isRequest ? requestBytes : ackBytes;
    if (message.length !== length) return `${String(message.length)} bytes came instead of ${String(length)}`;
    const index = isRequest ? this.#receiveIndex : this.#before(this.#sendIndex, this.#pending);
    const problem =
      this.#in.problem(message, { sequence: this.#receiveSequence, index, op }) ??
      (this.rules.pattern === undefined ? undefined : patternProblem(message, this.rules.pattern));
    if (problem !== undefined) return problem;
    if (isRequest ? this.#unanswered === depth : this.#pending === 0) {
      return isRequest ? `more than ${String(depth)} requests are under way` : "an ack came for no request";
    }
    this.#receiveSequence = (this.#receiveSequence + 1) >>> 0;
    if (isRequest) {
      this.#unanswered += 1;
      this.#receiveIndex = (this.#receiveIndex + 1) % depth;
      return REQUEST;
    }
    this.#pending -= 1;
    return { op: "ack", rttUs: nowUs - (this.#sentUs[index] ?? 0) };
  }

  #before(index: number, count: number): number {
    return (index - count + this.rules.depth) % this.rules.depth;
  }
}

const REQUEST: Taken = { op: "request" };

/** A message of this size with the pattern, if any, behind room for the header. */
export function messageOf(bytes: number, pattern: Buffer | undefined): Buffer {
  const message = Buffer.alloc(bytes);
  pattern?.copy(message, HEADER_BYTES);
  return message;
}
