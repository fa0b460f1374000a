import {
  decodeRmppHeader,
  encodeRmppHeader,
  MAD_SIZE,
  RMPP_HEADER_SIZE,
  RmppFlag,
  type RmppHeader,
  RmppType,
  SA_DATA_OFFSET,
  SA_DATA_SIZE,
  SA_HEADER_SIZE,
} from "@verbena/ib";
import type { SimClock } from "../fabric/services.js";

const RMPP_OFFSET = 24;
const SEGMENT_PAYLOAD = SA_HEADER_SIZE + SA_DATA_SIZE;

/** Sends one message in segments and learns of its end. */
export interface RmppSenderOptions {
  /** The reassembled message: 56 bytes of headers, then the data. Its RMPP header is filled in here. */
  readonly message: Buffer;
  readonly clock: SimClock;
  readonly send: (mad: Buffer) => void;
  /** Called once: the receiver has everything, gave up, or does not answer. */
  readonly onEnd: (how: "done" | "aborted" | "timeout") => void;
  /** How long to wait for an acknowledgement. Default 1000. */
  readonly timeoutMs?: number;
  /** How often to send a window again before giving up. Default 7. */
  readonly retries?: number;
}

/**
 * The sending side of one RMPP transfer (IBA 13.6.5): the first segment alone, then as many as the receiver's window allows, again
 * from the last acknowledged segment when no acknowledgement comes.
 */
export class RmppSender {
  readonly #options: RmppSenderOptions;
  readonly #segments: number;
  #acknowledged = 0;
  #windowLast = 1;
  #nextToSend = 1;
  #retriesLeft: number;
  #cancelTimer: (() => void) | undefined;
  #isEnded = false;

  constructor(options: RmppSenderOptions) {
    this.#options = options;
    const length = options.message.length - SA_DATA_OFFSET;
    this.#segments = Math.max(1, Math.ceil(length / SA_DATA_SIZE));
    this.#retriesLeft = options.retries ?? 7;
  }

  get segments(): number {
    return this.#segments;
  }

  start(): void {
    this.#sendWindow();
  }

  /** Takes an ACK, STOP or ABORT of the receiver; other types are ignored. */
  receive(mad: Buffer): void {
    if (this.#isEnded) return;
    const rmpp = decodeRmppHeader(mad, RMPP_OFFSET);
    switch (rmpp.type) {
      case RmppType.ACK:
        this.#acknowledge(rmpp);
        return;
      case RmppType.STOP:
      case RmppType.ABORT:
        this.#end("aborted");
        return;
      default:
        return;
    }
  }

  /** Stops without a word. */
  close(): void {
    this.#isEnded = true;
    this.#cancelTimer?.();
  }

  #acknowledge({ segment, payloadLengthOrNewWindow: windowLast }: RmppHeader): void {
    if (segment > this.#segments || windowLast < segment) {
      this.#end("aborted");
      return;
    }
    if (segment < this.#acknowledged) return;
    if (segment > this.#acknowledged) this.#retriesLeft = this.#options.retries ?? 7;
    this.#acknowledged = segment;
    this.#windowLast = Math.max(this.#windowLast, windowLast);
    if (segment === this.#segments) {
      this.#end("done");
      return;
    }
    this.#nextToSend = Math.max(this.#nextToSend, segment + 1);
    this.#sendWindow();
  }

  #sendWindow(): void {
    const last = Math.min(this.#windowLast, this.#segments);
    for (; this.#nextToSend <= last; this.#nextToSend++) this.#options.send(this.#segment(this.#nextToSend));
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.clock.schedule(this.#options.timeoutMs ?? 1000, () => {
      this.#onTimeout();
    });
  }

  #onTimeout(): void {
    if (this.#isEnded) return;
    if (this.#retriesLeft === 0) {
      this.#end("timeout");
      return;
    }
    this.#retriesLeft--;
    this.#nextToSend = this.#acknowledged + 1;
    this.#sendWindow();
  }

  #end(how: "done" | "aborted" | "timeout"): void {
    this.close();
    this.#options.onEnd(how);
  }

  /** Lengths count the SA header of every segment (IBA 13.6.2.1). */
  #segment(number: number): Buffer {
    const { message } = this.#options;
    const start = SA_DATA_OFFSET + (number - 1) * SA_DATA_SIZE;
    const data = message.subarray(start, start + SA_DATA_SIZE);
    const isFirst = number === 1;
    const isLast = number === this.#segments;
    const total =
      this.#segments * SEGMENT_PAYLOAD - (this.#segments * SA_DATA_SIZE - (message.length - SA_DATA_OFFSET));
    const mad = Buffer.alloc(MAD_SIZE);
    mad.set(message.subarray(0, SA_DATA_OFFSET));
    mad.set(data, SA_DATA_OFFSET);
    const rmpp: RmppHeader = {
      version: 1,
      type: RmppType.DATA,
      respTime: 31,
      flags: RmppFlag.ACTIVE | (isFirst ? RmppFlag.FIRST : 0) | (isLast ? RmppFlag.LAST : 0),
      status: 0,
      segment: number,
      payloadLengthOrNewWindow: isFirst ? total : isLast ? SA_HEADER_SIZE + data.length : 0,
    };
    mad.set(encodeRmppHeader(rmpp).subarray(0, RMPP_HEADER_SIZE), RMPP_OFFSET);
    return mad;
  }
}
