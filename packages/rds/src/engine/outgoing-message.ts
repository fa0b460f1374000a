import type { OutgoingFrame } from "@verbena/core/sdk";
import type { Block } from "../memory/block-pool.js";
import { movedOut } from "../memory/block-watch.js";
import { encodePlainHeader } from "../wire/header.js";
import { HEADER_SIZE, HeaderFlag, HeaderOffset } from "../wire/header-layout.js";
import { type Sequence, writeSequence } from "../wire/sequence.js";

/** Whoever has messages in a peer's queues and wants to hear when they leave. */
export interface MessageOwner {
  /** A message has been acknowledged or cancelled: its payload bytes count no more. */
  release(length: number): void;
}

/** A message from the moment it is queued until it is acknowledged: header and payload in one piece, written as it stands. */
export class OutgoingMessage implements OutgoingFrame {
  /** See {@link OutgoingFrame.end}; set when it is handed to the transport. */
  end = 0;
  /** Given when the message is first sent, so that numbers rise in the order of sending. */
  sequence: Sequence | undefined;
  readonly size: number;
  #memory: Buffer;
  #start: number;
  /** What the bytes are a piece of, unless they have memory of their own. */
  #block: Block | undefined;

  constructor(
    /** With room for header and payload. */
    block: Block,
    readonly sourcePort: number,
    readonly destinationPort: number,
    payload: Uint8Array | readonly Uint8Array[],
    readonly length: number,
    /** Nobody owns pongs and probes. */
    readonly owner: MessageOwner | undefined,
    extensions?: Uint8Array,
  ) {
    this.size = HEADER_SIZE + length;
    const start = block.take(this.size);
    const { bytes } = block;
    this.#block = block;
    this.#memory = bytes;
    this.#start = start;
    encodePlainHeader(bytes, start, length, sourcePort, destinationPort);
    if (extensions !== undefined) bytes.set(extensions, start + HeaderOffset.extensions);
    copyParts(payload, bytes, start + HEADER_SIZE);
  }

  get memory(): Buffer {
    return this.#memory;
  }

  get start(): number {
    return this.#start;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(this.#start, this.#start + this.size);
  }

  /** Lets the block of memory go, if this is one of few that keep it. */
  settle(): void {
    if (this.#block?.isSparse !== true) return;
    const bytes = movedOut(this.bytes);
    this.#giveBack(this.sequence === undefined);
    this.#memory = bytes;
    this.#start = 0;
  }

  /** Its memory is not needed any more. `isAcked`: nor does a transport read it any more, as it may read what was cancelled under way. */
  leave(isAcked: boolean): void {
    this.#giveBack(isAcked || this.sequence === undefined);
    this.#memory = NOTHING;
  }

  #giveBack(isFree: boolean): void {
    const block = this.#block;
    this.#block = undefined;
    block?.giveBack(this.size, isFree);
  }

  get isProbe(): boolean {
    return this.sourcePort === 1 && this.destinationPort === 0;
  }

  number(sequence: Sequence): void {
    this.sequence = sequence;
    writeSequence(this.#memory, this.#start + HeaderOffset.sequence, sequence);
  }

  /** From now on the header says that an earlier connection had the message. */
  markRetransmitted(): void {
    const at = this.#start + HeaderOffset.flags;
    this.#memory[at] = (this.#memory[at] ?? 0) | HeaderFlag.retransmitted;
  }
}

const NOTHING = Buffer.alloc(0);

/** Bytes of one message in any number of parts. */
export function payloadLength(payload: Uint8Array | readonly Uint8Array[]): number {
  if (payload instanceof Uint8Array) return payload.length;
  let length = 0;
  for (const part of payload) length += part.length;
  return length;
}

/** Copies the parts one behind the other. */
export function copyParts(payload: Uint8Array | readonly Uint8Array[], target: Buffer, at: number): void {
  if (payload instanceof Uint8Array) {
    target.set(payload, at);
    return;
  }
  let end = at;
  for (const part of payload) {
    target.set(part, end);
    end += part.length;
  }
}
