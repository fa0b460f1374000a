import type { DatagramAddress, ReceivedMessage } from "@verbena/core/sdk";
import type { Sequence } from "../wire/sequence.js";
import { Fifo } from "./fifo.js";

/** Counted beside the payload of each message that waits. */
const ENTRY_BYTES = 128;

/** A message that waits to be received. */
export interface WaitingMessage {
  readonly message: ReceivedMessage;
  readonly sequence: Sequence;
}

/** What waits on a socket, in order of arrival, and whether that is too much. */
export class ReceiveQueue implements Iterable<WaitingMessage> {
  readonly #waiting = new Fifo<WaitingMessage>();
  #bytes = 0;
  isCongested = false;

  get length(): number {
    return this.#waiting.length;
  }

  /** Payload bytes: what congestion goes by. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of memory, roughly. */
  get memory(): number {
    return this.#bytes + this.#waiting.length * ENTRY_BYTES;
  }

  push(entry: WaitingMessage): void {
    this.#waiting.push(entry);
    this.#bytes += entry.message.length;
  }

  peek(): ReceivedMessage | undefined {
    return this.#waiting.peek()?.message;
  }

  shift(): ReceivedMessage | undefined {
    const message = this.#waiting.shift()?.message;
    if (message !== undefined) this.#bytes -= message.length;
    return message;
  }

  clear(): void {
    this.#waiting.drain();
    this.#bytes = 0;
  }

  [Symbol.iterator](): Iterator<WaitingMessage> {
    return this.#waiting[Symbol.iterator]();
  }
}

/** A message as its receiver gets it: the first `maxLength` bytes. */
export function cut(message: ReceivedMessage, maxLength: number | undefined): ReceivedMessage {
  if (maxLength === undefined || maxLength >= message.length) return message;
  return { ...message, data: message.data.subarray(0, maxLength) };
}

/** Makes a message as it waits. */
export function receivedMessage(
  data: Buffer,
  source: DatagramAddress,
  timestampNs: bigint | undefined,
): ReceivedMessage {
  return {
    type: "message",
    data,
    length: data.length,
    source,
    control: timestampNs === undefined ? NO_CONTROL : [{ type: "timestamp", ns: timestampNs }],
  };
}

const NO_CONTROL: ReceivedMessage["control"] = Object.freeze([]);
