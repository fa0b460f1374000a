import { Gid } from "../value/gid.js";
import type { PKey } from "../value/pkey.js";
import { needBytes } from "../wire/check.js";
import { putBytes, putU16, putU32, putU64 } from "../wire/put.js";
import { putText, readText } from "../wire/text.js";

/** Bytes of a ServiceRecord on the wire. */
export const SERVICE_RECORD_SIZE = 176;

/** SA ServiceRecord (IBA 15.2.5.14). Host form; 176 bytes big-endian on the wire. */
export interface ServiceRecord {
  readonly serviceId: bigint;
  readonly serviceGid: Gid;
  readonly servicePkey: PKey;
  /** Seconds; 0xffffffff = for ever. */
  readonly serviceLease: number;
  /** 16 bytes. */
  readonly serviceKey: Uint8Array;
  /** At most 64 bytes of UTF-8. */
  readonly serviceName: string;
  /** 64 bytes as on the wire: 16 × 8, 8 × 16, 4 × 32 and 2 × 64 bits, each big-endian. */
  readonly serviceData: Uint8Array;
}

/** Encodes to 176 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeServiceRecord(r: ServiceRecord): Buffer {
  const buf = Buffer.alloc(SERVICE_RECORD_SIZE);
  putU64(buf, 0, r.serviceId, "ServiceRecord.serviceId");
  Gid.write(buf, 8, r.serviceGid);
  putU16(buf, 24, r.servicePkey, "ServiceRecord.servicePkey");
  putU32(buf, 28, r.serviceLease, "ServiceRecord.serviceLease");
  putBytes(buf, 32, r.serviceKey, 16, "ServiceRecord.serviceKey");
  putText(buf, 48, r.serviceName, 64, "ServiceRecord.serviceName");
  putBytes(buf, 112, r.serviceData, 64, "ServiceRecord.serviceData");
  return buf;
}

/** Decodes 176 bytes at `offset`; byte fields are copies. Throws `VERBENA_IB_MALFORMED`. */
export function decodeServiceRecord(buf: Buffer, offset = 0): ServiceRecord {
  needBytes("ServiceRecord", buf, offset, SERVICE_RECORD_SIZE);
  return {
    serviceId: buf.readBigUInt64BE(offset),
    serviceGid: Gid.read(buf, offset + 8),
    servicePkey: buf.readUInt16BE(offset + 24) as PKey,
    serviceLease: buf.readUInt32BE(offset + 28),
    serviceKey: Uint8Array.prototype.slice.call(buf, offset + 32, offset + 48),
    serviceName: readText(buf, offset + 48, 64),
    serviceData: Uint8Array.prototype.slice.call(buf, offset + 112, offset + 176),
  };
}
