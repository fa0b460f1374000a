import { writeHost32 } from "../host-order.js";

/** Client (low, high), bytes of the reply, nothing; then the transaction id of the request as it came. */
const HEAD_SIZE = 24;
const TID_OFFSET = 8;
const TID_SIZE = 8;
const TWO_TO_32 = 0x1_0000_0000;
const BLOCK_SIZE = 65_536;
const FULL_SIZE = 32_768;

/** Replies on their way to the addon, many in one call: records of a head and the reply, padded to 8 bytes. */
export class ReplyBlock {
  #bytes = Buffer.alloc(BLOCK_SIZE);
  #size = 0;

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** So much is there that it should go out. */
  get isFull(): boolean {
    return this.#size >= FULL_SIZE;
  }

  /** False when there is no room: write what is there and try again; an empty block takes any reply. */
  add(client: number, request: Buffer, reply: Buffer): boolean {
    const need = HEAD_SIZE + Math.ceil(reply.length / 8) * 8;
    if (need > this.#bytes.length - this.#size) {
      if (this.#size > 0) return false;
      this.#bytes = Buffer.alloc(need);
    }
    const at = this.#size;
    writeHost32(this.#bytes, at, client % TWO_TO_32);
    writeHost32(this.#bytes, at + 4, Math.floor(client / TWO_TO_32));
    writeHost32(this.#bytes, at + 8, reply.length);
    request.copy(this.#bytes, at + 16, TID_OFFSET, TID_OFFSET + TID_SIZE);
    reply.copy(this.#bytes, at + HEAD_SIZE);
    this.#size += need;
    return true;
  }

  /** Hands the block and its size to `write`, and is empty from then on. */
  drain<T>(write: (bytes: Uint8Array, size: number) => T): T {
    const size = this.#size;
    this.#size = 0;
    return write(this.#bytes, size);
  }
}
