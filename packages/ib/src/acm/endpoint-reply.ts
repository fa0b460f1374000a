import { Guid } from "../value/guid.js";
import type { PKey } from "../value/pkey.js";
import { malformed } from "../wire/check.js";
import { putU8, putU16 } from "../wire/put.js";
import { putText, readText } from "../wire/text.js";
import { ACM_ADDRESS_SIZE, ACM_HEADER_SIZE, ACM_MAX_ENDPOINT_ADDRESSES, ACM_OPCODE } from "./constants.js";
import { type AcmHeader, decodeAcmReplyHeader, writeAcmHeader } from "./header.js";

/** Bytes between the header and the first address. */
const FIXED_SIZE = 80;

/** One endpoint as an endpoint reply describes it. */
export interface AcmEndpoint {
  /** Node GUID of the device. */
  readonly guid: Guid;
  readonly port: number;
  /** Physical ports of the device. */
  readonly physicalPortCount: number;
  /** As in the port's table, membership bit included. */
  readonly pkey: PKey;
  /** At most 63 bytes. */
  readonly provider: string;
  /** At most 63 bytes each. */
  readonly addresses: readonly string[];
}

/** What {@link encodeEndpointReply} needs. */
export interface EndpointReplyFields extends AcmEndpoint {
  readonly tid: bigint;
  /** Echo of the request's byte 3. */
  readonly index: number;
}

/** A decoded endpoint reply. */
export interface AcmEndpointReply {
  readonly header: AcmHeader;
  readonly status: number;
  readonly index: number;
  /** Absent if the status is not 0. */
  readonly endpoint?: AcmEndpoint;
}

/**
 * Encodes an endpoint reply: 96 + 64 n bytes, everything big-endian. Addresses beyond the 1022nd do not fit the length field and are
 * left out; the caller logs that. Throws `VERBENA_IB_VALUE`.
 */
export function encodeEndpointReply(reply: EndpointReplyFields): Buffer {
  const addresses = reply.addresses.slice(0, ACM_MAX_ENDPOINT_ADDRESSES);
  const buf = Buffer.alloc(ACM_HEADER_SIZE + FIXED_SIZE + addresses.length * ACM_ADDRESS_SIZE);
  writeAcmHeader(buf, {
    opcode: ACM_OPCODE.ENDPOINT_QUERY | ACM_OPCODE.ACK,
    length: buf.length,
    tid: reply.tid,
    data0: reply.index,
  });
  Guid.write(buf, 16, reply.guid);
  putU8(buf, 24, reply.port, "AcmEndpoint.port");
  putU8(buf, 25, reply.physicalPortCount, "AcmEndpoint.physicalPortCount");
  putU16(buf, 28, reply.pkey, "AcmEndpoint.pkey");
  putU16(buf, 30, addresses.length, "AcmEndpoint.addresses.length");
  // One byte less than the field: readers print these as C strings.
  putText(buf, 32, reply.provider, ACM_ADDRESS_SIZE - 1, "AcmEndpoint.provider");
  let at = ACM_HEADER_SIZE + FIXED_SIZE;
  for (const address of addresses) {
    putText(buf, at, address, ACM_ADDRESS_SIZE - 1, "AcmEndpoint.address");
    at += ACM_ADDRESS_SIZE;
  }
  return buf;
}

/**
 * Decodes an endpoint reply, also an error reply, of which only the header counts. Throws `VERBENA_IB_MALFORMED` if the length field
 * of a success differs from the number of bytes, or the addresses do not fit.
 */
export function decodeEndpointReply(buf: Buffer): AcmEndpointReply {
  const header = decodeAcmReplyHeader(buf);
  if ((header.opcode & ACM_OPCODE.MASK) !== ACM_OPCODE.ENDPOINT_QUERY) {
    throw malformed("AcmEndpointReply", "opcode 0x03 or 0x83", `opcode ${header.opcode}`);
  }
  const base = { header, status: header.status, index: header.data0 };
  if (header.status !== 0) return base;
  if (header.length !== buf.length)
    throw malformed("AcmEndpointReply", `${header.length} bytes`, `${buf.length} bytes`);
  const first = ACM_HEADER_SIZE + FIXED_SIZE;
  if (buf.length < first) throw malformed("AcmEndpointReply", `at least ${first} bytes`, `${buf.length} bytes`);
  const count = buf.readUInt16BE(30);
  if (first + count * ACM_ADDRESS_SIZE > buf.length) {
    throw malformed("AcmEndpointReply", `${count} addresses`, `${buf.length} bytes`);
  }
  const addresses: string[] = [];
  for (let i = 0; i < count; i++) addresses.push(readText(buf, first + i * ACM_ADDRESS_SIZE, ACM_ADDRESS_SIZE));
  const endpoint: AcmEndpoint = {
    guid: Guid.read(buf, 16),
    port: buf.readUInt8(24),
    physicalPortCount: buf.readUInt8(25),
    pkey: buf.readUInt16BE(28) as PKey,
    provider: readText(buf, 32, ACM_ADDRESS_SIZE),
    addresses,
  };
  return { ...base, endpoint };
}
