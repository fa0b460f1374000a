import { IpAddress } from "@verbena/ib";

/** What rds-stress calls a message: a request is answered by an ack. */
export const OP = { request: 1, ack: 2 } as const;

/** Bytes of a header; what it says of RDMA, behind the first {@link COMPARED_BYTES}, is 0 here. */
export const HEADER_BYTES = 63;
/** Bytes of a header that the receiver compares with what it expects. */
const COMPARED_BYTES = 19;

/** One end of a message. */
export interface StressEnd {
  readonly address: IpAddress;
  readonly port: number;
}

/** What changes from one header to the next between two ends. */
export interface HeaderFields {
  /** Of requests and acks together, from 0 on, 32 bits. */
  readonly sequence: number;
  /** Which of the requests that may be under way, 0 to depth - 1; of an ack: which it answers. */
  readonly index: number;
  readonly op: number;
}

/** Headers of messages from one end to another, big-endian as rds-stress 2.0.7 has them. */
export class HeaderForm {
  readonly #bytes = Buffer.alloc(COMPARED_BYTES);

  constructor(from: StressEnd, to: StressEnd) {
    this.#bytes.set(IpAddress.bytes(from.address), 4);
    this.#bytes.set(IpAddress.bytes(to.address), 8);
    this.#bytes.writeUInt16BE(from.port, 12);
    this.#bytes.writeUInt16BE(to.port, 14);
  }

  /** Writes the compared bytes in front of `message`. */
  write(message: Buffer, fields: HeaderFields): void {
    this.#fill(fields);
    message.set(this.#bytes);
  }

  /** Members that differ from what was expected, in words; `undefined` if all are as they should be. */
  problem(message: Buffer, fields: HeaderFields): string | undefined {
    this.#fill(fields);
    if (message.compare(this.#bytes, 0, COMPARED_BYTES, 0, COMPARED_BYTES) === 0) return undefined;
    const [wanted, got] = [members(this.#bytes), members(message)];
    const wrong = wanted.map(([name, value], at) => [name, value, got[at]?.[1]] as const);
    return wrong
      .filter(([, value, other]) => value !== other)
      .map(([name, value, other]) => `${name} is ${String(other)}, not ${String(value)}`)
      .join(", ");
  }

  #fill({ sequence, index, op }: HeaderFields): void {
    this.#bytes.writeUInt32BE(sequence, 0);
    this.#bytes.writeUInt16BE(index & 0xffff, 16);
    this.#bytes[18] = op;
  }
}

/** What kind of message this is. */
export const opOf = (message: Buffer): number => message[18] ?? 0;

/** The bytes that `-v` puts behind a header: each block of 256 is shifted against the one before, so that swapped ones are found. */
export function pattern(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0, state = 11; at < length; at++) {
    bytes[at] = state & 0xff;
    state = (Math.imul(41, state + 3) + ((at + 1) >>> 8)) >>> 0;
  }
  return bytes;
}

/** Where a message's payload differs first from the pattern, and in how many bytes; `undefined` if it does not. */
export function patternProblem(message: Buffer, wanted: Buffer): string | undefined {
  const payload = message.subarray(HEADER_BYTES);
  if (payload.equals(wanted.subarray(0, payload.length))) return undefined;
  const wrong = [...payload.keys()].filter((at) => payload[at] !== wanted[at]);
  return `the payload is corrupted at offset ${String(wrong[0])}; ${String(wrong.length)} bytes corrupted`;
}

const members = (bytes: Buffer): readonly (readonly [string, string | number])[] => [
  ["seq", bytes.readUInt32BE(0)],
  ["from_addr", IpAddress.fromBytes(bytes.subarray(4, 8))],
  ["from_port", bytes.readUInt16BE(12)],
  ["to_addr", IpAddress.fromBytes(bytes.subarray(8, 12))],
  ["to_port", bytes.readUInt16BE(14)],
  ["index", bytes.readUInt16BE(16)],
  ["op", bytes[18] ?? 0],
];
