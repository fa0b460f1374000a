import {
  decodeRmppHeader,
  encodeRmppHeader,
  MAD_SIZE,
  RmppFlag,
  RmppType,
  SA_DATA_OFFSET,
  SA_DATA_SIZE,
  SA_HEADER_SIZE,
} from "@verbena/ib";

const RMPP_OFFSET = 24;
const RESPONSE_BIT = 0x80;
const METHOD_OFFSET = 3;

/** What a segment led to. */
export interface RmppProgress {
  /** An ACK or ABORT to send to the sender. */
  readonly reply?: Buffer;
  /** The whole message, once all segments are there: headers of the first segment, then the data. */
  readonly message?: Buffer;
}

/**
 * The receiving side of one RMPP transfer (IBA 13.6.6). Segments are taken in order; a gap makes the sender repeat from the last
 * acknowledged one.
 */
export class RmppReceiver {
  readonly #parts: Buffer[] = [];
  #isDone = false;

  /** @param window how many segments the sender may send ahead of the acknowledged one, at least 1 */
  constructor(private readonly window = 64) {}

  receive(mad: Buffer): RmppProgress {
    const rmpp = decodeRmppHeader(mad, RMPP_OFFSET);
    if (rmpp.type !== RmppType.DATA || (rmpp.flags & RmppFlag.ACTIVE) === 0) return {};
    const expected = this.#parts.length + 1;
    if (rmpp.segment !== expected || this.#isDone) return { reply: this.#ack(mad) };
    const isLast = (rmpp.flags & RmppFlag.LAST) !== 0;
    const length = isLast ? this.#lastLength(rmpp.payloadLengthOrNewWindow) : SA_DATA_SIZE;
    this.#parts.push(mad.subarray(expected === 1 ? 0 : SA_DATA_OFFSET, SA_DATA_OFFSET + length));
    this.#isDone = isLast;
    const isWindowFull = this.#parts.length % this.window === 0 || expected === 1;
    return {
      ...(isLast || isWindowFull ? { reply: this.#ack(mad) } : {}),
      ...(isLast ? { message: Buffer.concat(this.#parts) } : {}),
    };
  }

  /** Of a message of one segment the length counts in both meanings, and is the same. */
  #lastLength(payload: number): number {
    return Math.min(SA_DATA_SIZE, Math.max(0, payload - SA_HEADER_SIZE));
  }

  #ack(mad: Buffer): Buffer {
    const ack = Buffer.alloc(MAD_SIZE);
    ack.set(mad.subarray(0, SA_DATA_OFFSET));
    ack.writeUInt8(mad.readUInt8(METHOD_OFFSET) ^ RESPONSE_BIT, METHOD_OFFSET);
    const header = encodeRmppHeader({
      version: 1,
      type: RmppType.ACK,
      respTime: 31,
      flags: RmppFlag.ACTIVE,
      status: 0,
      segment: this.#parts.length,
      payloadLengthOrNewWindow: this.#parts.length + this.window,
    });
    ack.set(header, RMPP_OFFSET);
    return ack;
  }
}
