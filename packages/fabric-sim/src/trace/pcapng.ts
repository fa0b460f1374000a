import { sealIbPacket } from "@verbena/ib";

const SECTION_HEADER = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION = 1;
const ENHANCED_PACKET = 6;
const BYTE_ORDER_MAGIC = 0x1a2b_3c4d;
const OPTION_END = 0;
const OPTION_COMMENT = 1;
const OPTION_INTERFACE_NAME = 2;
/**
 * LINKTYPE_ERF: each packet behind a header of the Extensible Record Format, which says that it is InfiniBand. tshark reads
 * it; LINKTYPE_INFINIBAND (247) it does not know.
 */
const LINKTYPE_ERF = 197;
const ERF_HEADER_SIZE = 16;
const ERF_TYPE_INFINIBAND = 21;
const ERF_VARYING_LENGTH = 0x04;

/** A packet for a capture file. */
export interface CapturedPacket {
  /** Where it was seen: the name of an interface in the file. */
  readonly interfaceName: string;
  /** Milliseconds since 1970; kept to the microsecond. */
  readonly epochMs: number;
  /** From the LRH on, without CRCs; they are added. */
  readonly bytes: Uint8Array;
  readonly comment?: string | undefined;
}

/** Makes the blocks of a pcapng file, with one interface for each name that occurs. */
export class PcapngEncoder {
  readonly #interfaces = new Map<string, number>();

  /** What a file begins with. */
  header(): Buffer {
    const body = Buffer.alloc(16);
    body.writeUInt32LE(BYTE_ORDER_MAGIC, 0);
    body.writeUInt16LE(1, 4);
    // The length of the section is not known.
    body.writeBigInt64LE(-1n, 8);
    return block(SECTION_HEADER, body);
  }

  /** The blocks of a packet; with the first one of an interface its description. */
  packet({ interfaceName, epochMs, bytes, comment }: CapturedPacket): Buffer {
    const known = this.#interfaces.get(interfaceName);
    const index = known ?? this.#interfaces.size;
    this.#interfaces.set(interfaceName, index);
    const record = erfRecord(sealIbPacket(bytes), epochMs);
    const head = Buffer.alloc(20);
    const microseconds = BigInt(Math.round(epochMs * 1000));
    head.writeUInt32LE(index, 0);
    head.writeUInt32LE(Number((microseconds >> 32n) & 0xffff_ffffn), 4);
    head.writeUInt32LE(Number(microseconds & 0xffff_ffffn), 8);
    head.writeUInt32LE(record.length, 12);
    head.writeUInt32LE(record.length, 16);
    const options = comment === undefined ? [] : [option(OPTION_COMMENT, comment), option(OPTION_END, "")];
    const packetBlock = block(ENHANCED_PACKET, Buffer.concat([head, padded(record), ...options]));
    return known === undefined ? Buffer.concat([interfaceBlock(interfaceName), packetBlock]) : packetBlock;
  }
}

/** Header of 16 bytes: time of day as a 32.32 fixed-point number (little-endian), type, flags, lengths (big-endian). */
function erfRecord(packet: Buffer, epochMs: number): Buffer {
  const record = Buffer.alloc(ERF_HEADER_SIZE + packet.length);
  const seconds = Math.floor(epochMs / 1000);
  record.writeUInt32LE(Math.floor(((epochMs % 1000) / 1000) * 2 ** 32), 0);
  record.writeUInt32LE(seconds >>> 0, 4);
  record.writeUInt8(ERF_TYPE_INFINIBAND, 8);
  record.writeUInt8(ERF_VARYING_LENGTH, 9);
  record.writeUInt16BE(record.length, 10);
  record.writeUInt16BE(packet.length, 14);
  record.set(packet, ERF_HEADER_SIZE);
  return record;
}

function interfaceBlock(name: string): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16LE(LINKTYPE_ERF, 0);
  return block(
    INTERFACE_DESCRIPTION,
    Buffer.concat([head, option(OPTION_INTERFACE_NAME, name), option(OPTION_END, "")]),
  );
}

function option(code: number, text: string): Buffer {
  const value = Buffer.from(text);
  const head = Buffer.alloc(4);
  head.writeUInt16LE(code, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, padded(value)]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}

/** Type, length, body, length again; little-endian, as the magic number says. */
function block(type: number, body: Buffer): Buffer {
  const whole = Buffer.alloc(body.length + 12);
  whole.writeUInt32LE(type, 0);
  whole.writeUInt32LE(whole.length, 4);
  whole.set(body, 8);
  whole.writeUInt32LE(whole.length, whole.length - 4);
  return whole;
}
