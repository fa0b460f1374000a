import { rdsError } from "../errors.js";
import { headerChecksum } from "./checksum.js";
import { EXTENSIONS_SIZE, HEADER_SIZE, HeaderOffset } from "./header-layout.js";
import { readSequence, type Sequence, writeSequence } from "./sequence.js";
import { writeHalfWord, writeWord } from "./words.js";

/** The header of a message, in host form. The addresses are not in it: they are those of the connection. */
export interface MessageHeader {
  /** 0 in congestion maps. */
  readonly sequence: Sequence;
  /** RDMA: the highest sequence received. 0 over TCP. */
  readonly ack: Sequence;
  /** Payload bytes of the whole message, 0…2^32−1. */
  readonly length: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly flags: number;
  readonly credit: number;
  /** 0: not checked. */
  readonly checksum: number;
  /** 16 bytes; what they mean is `decodeExtensions`' affair. */
  readonly extensions: Buffer;
}

/** Decodes a header. Throws `VERBENA_RDS_MALFORMED` when there are fewer than 48 bytes; no value of a field is refused. */
export function decodeHeader(buf: Buffer, at = 0): MessageHeader {
  if (buf.length - at < HEADER_SIZE) {
    throw rdsError("VERBENA_RDS_MALFORMED", {
      details: { what: "a header", problem: `${Math.max(0, buf.length - at)} bytes instead of ${HEADER_SIZE}` },
    });
  }
  const extensions = at + HeaderOffset.extensions;
  return {
    sequence: readSequence(buf, at + HeaderOffset.sequence),
    ack: readSequence(buf, at + HeaderOffset.ack),
    length: buf.readUInt32BE(at + HeaderOffset.length),
    sourcePort: buf.readUInt16BE(at + HeaderOffset.sourcePort),
    destinationPort: buf.readUInt16BE(at + HeaderOffset.destinationPort),
    flags: buf.readUInt8(at + HeaderOffset.flags),
    credit: buf.readUInt8(at + HeaderOffset.credit),
    checksum: buf.readUInt16BE(at + HeaderOffset.checksum),
    extensions: Buffer.from(buf.subarray(extensions, extensions + EXTENSIONS_SIZE)),
  };
}

/** What a sender chooses; the rest is 0. */
export interface HeaderFields {
  readonly sequence: Sequence;
  readonly length: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly flags?: number;
  readonly ack?: Sequence;
  readonly credit?: number;
  /** At most 16 bytes. */
  readonly extensions?: Uint8Array;
  /** `true` computes it, as RDMA wants it; default: 0. */
  readonly hasChecksum?: boolean;
}

const ZEROS = new Uint8Array(HEADER_SIZE);

/** Writes the header of a plain message, without its sequence. */
export function encodePlainHeader(
  buf: Buffer,
  at: number,
  length: number,
  sourcePort: number,
  destinationPort: number,
): void {
  buf.set(ZEROS, at);
  writeWord(buf, at + HeaderOffset.length, length);
  writeHalfWord(buf, at + HeaderOffset.sourcePort, sourcePort);
  writeHalfWord(buf, at + HeaderOffset.destinationPort, destinationPort);
}

/** Writes all 48 bytes of a header. */
export function encodeHeader(buf: Buffer, at: number, fields: HeaderFields): void {
  buf.set(ZEROS, at);
  writeSequence(buf, at + HeaderOffset.sequence, fields.sequence);
  if (fields.ack !== undefined) writeSequence(buf, at + HeaderOffset.ack, fields.ack);
  buf.writeUInt32BE(fields.length, at + HeaderOffset.length);
  buf.writeUInt16BE(fields.sourcePort, at + HeaderOffset.sourcePort);
  buf.writeUInt16BE(fields.destinationPort, at + HeaderOffset.destinationPort);
  buf[at + HeaderOffset.flags] = fields.flags ?? 0;
  buf[at + HeaderOffset.credit] = fields.credit ?? 0;
  if (fields.extensions !== undefined) buf.set(fields.extensions, at + HeaderOffset.extensions);
  if (fields.hasChecksum === true) buf.writeUInt16BE(headerChecksum(buf, at), at + HeaderOffset.checksum);
}
