/**
 * Cuts a byte stream into messages of the ACM client protocol. Knows the header (version, opcode, length) and nothing else of it.
 *
 * Any segmentation and any number of messages in one piece are accepted. The length is little- or big-endian by the whole opcode
 * byte: RESOLVE requests (0x01) carry it in the byte order of the CPU, everything else big-endian.
 */

/** Bytes before the body. */
export const HEADER_SIZE = 16;
/** Bytes of one address record. */
const RECORD_SIZE = 72;
/** Longest request: a header and eight records. */
export const MAX_REQUEST_SIZE = HEADER_SIZE + 8 * RECORD_SIZE;

const VERSION = 1;
const RESOLVE = 0x01;
const OPCODE_MASK = 0x0f;
const LAST_OPCODE = 0x03;
const LENGTH_OFFSET = 6;
const LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
const NOTHING = Buffer.alloc(0);

/** Why a stream cannot be read further. The connection has to be closed: there is no way back into step. */
export type FrameViolation = "version" | "opcode" | "length";

/** One connection's input. Push bytes in, take messages out until `undefined`. */
export class AcmFramer {
  #bytes: Buffer = NOTHING;
  #at = 0;
  #violation: FrameViolation | undefined;

  /** Set once the stream is out of step; `next` gives nothing from then on. */
  get violation(): FrameViolation | undefined {
    return this.#violation;
  }

  /** Bytes held that no message has been made of yet. */
  get heldBytes(): number {
    return this.#bytes.length - this.#at;
  }

  /** Takes the next piece of the stream. The framer keeps the buffer; the caller MUST NOT write into it afterwards. */
  push(piece: Buffer): void {
    this.#bytes = this.heldBytes === 0 ? piece : Buffer.concat([this.#bytes.subarray(this.#at), piece]);
    this.#at = 0;
  }

  /** The next whole message, as a view of the bytes pushed; `undefined` when more are needed or the stream is out of step. */
  next(): Buffer | undefined {
    if (this.#violation !== undefined) return undefined;
    const start = this.#at;
    const have = this.#bytes.length - start;
    const length = this.#check(start, have);
    if (length === undefined || have < length) {
      this.#keepRest(have);
      return undefined;
    }
    this.#at = start + length;
    return this.#bytes.subarray(start, start + length);
  }

  /** Length of the message at `start`, if so much of it is there; sets the violation. Judges each byte as soon as it is seen. */
  #check(start: number, have: number): number | undefined {
    const bytes = this.#bytes;
    if (have === 0) return undefined;
    if (bytes[start] !== VERSION) this.#fail("version");
    if (have < 2) return undefined;
    const opcode = bytes[start + 1] ?? 0;
    const operation = opcode & OPCODE_MASK;
    if (operation === 0 || operation > LAST_OPCODE) this.#fail("opcode");
    if (this.#violation !== undefined || have < LENGTH_OFFSET + 2) return undefined;
    const length = readLength(bytes, start, opcode);
    if (isRequestLength(length)) return length;
    this.#fail("length");
    return undefined;
  }

  #fail(violation: FrameViolation): void {
    this.#violation ??= violation;
  }

  /** A rest of some bytes must not keep the 64 KiB piece alive that it came in: thousands of clients may each hold one. */
  #keepRest(have: number): void {
    if (have === 0 || this.#violation !== undefined) {
      this.#bytes = NOTHING;
    } else {
      const rest = Buffer.allocUnsafeSlow(have);
      this.#bytes.copy(rest, 0, this.#at);
      this.#bytes = rest;
    }
    this.#at = 0;
  }
}

/** Lengths a request can have: a header alone, or with one to eight records. */
export function isRequestLength(length: number): boolean {
  return length >= HEADER_SIZE && length <= MAX_REQUEST_SIZE && (length - HEADER_SIZE) % RECORD_SIZE === 0;
}

function readLength(bytes: Buffer, start: number, opcode: number): number {
  const at = start + LENGTH_OFFSET;
  return opcode === RESOLVE && LITTLE ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
}
