import type { DatagramAddress, DatagramReceiveRequest, PayloadMemory, ReceivedMessage } from "@verbena/core/sdk";
import { type BlockWatch, isSmallPart, movedOut } from "../memory/block-watch.js";
import type { Sequence } from "../wire/sequence.js";

/** Longer payloads are not copied for a program that gives no memory of its own. */
const MAX_COPIED = 2048;
const NO_CONTROL: ReceivedMessage["control"] = Object.freeze([]);

/** A message that waits to be received. */
export class WaitingMessage {
  /** When it was queued, if its receiver wants to know: nanoseconds since 1970. */
  timestampNs: bigint | undefined = undefined;
  /** Payload bytes. */
  readonly length: number;
  /** `undefined` once it has been received or dropped. */
  #payload: Buffer | undefined;
  #isSettled = false;

  constructor(
    payload: Buffer,
    readonly source: DatagramAddress,
    readonly sequence: Sequence,
    /** Who gets the payload's memory back; nobody if it is the message's own. */
    private memory?: PayloadMemory,
  ) {
    this.length = payload.length;
    this.#payload = payload;
  }

  /** Tells of the block that it came in, if it still waits. */
  note(watch: BlockWatch): void {
    if (this.#payload !== undefined) watch.note(this.#payload, this.memory);
  }

  /** Lets the block of memory go that the message came in, unless that is little more than the message. False if this was done before. */
  settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    if (this.#payload !== undefined && isSmallPart(this.#payload)) {
      this.#payload = movedOut(this.#payload);
      this.#letGo(true);
    }
    return true;
  }

  /** As its receiver wants it. The bytes that he gets, unless in memory of his own, are his from then on. */
  read(request: DatagramReceiveRequest): ReceivedMessage | undefined {
    const payload = this.#payload;
    if (payload === undefined) return undefined;
    const data = requestedData(payload, request);
    return {
      type: "message",
      data: request.into === undefined ? this.#own(data) : data,
      length: this.length,
      source: this.source,
      control: this.timestampNs === undefined ? NO_CONTROL : [{ type: "timestamp", ns: this.timestampNs }],
    };
  }

  /** Nobody reads it any more. */
  drop(): void {
    this.#payload = undefined;
    this.#letGo(true);
  }

  /** Bytes that are a program's from now on. Few of them are copied: they would keep the block that they came in from being used again. */
  #own(data: Buffer): Buffer {
    if (this.memory === undefined || data.length === 0) return data;
    if (data.length > MAX_COPIED) {
      this.#letGo(false);
      return data;
    }
    const copy = Buffer.allocUnsafe(data.length);
    copy.set(data);
    return copy;
  }

  #letGo(isFree: boolean): void {
    const { memory } = this;
    this.memory = undefined;
    memory?.giveBack(this.length, isFree);
  }
}

/** As much of a payload as was asked for, where it was asked for. */
export function requestedData(payload: Buffer, { maxLength, into }: DatagramReceiveRequest): Buffer {
  const room = Math.min(maxLength ?? payload.length, into?.length ?? payload.length);
  const wanted = room < payload.length ? payload.subarray(0, room) : payload;
  if (into === undefined) return wanted;
  into.set(wanted);
  return wanted.length === into.length ? into : into.subarray(0, wanted.length);
}
