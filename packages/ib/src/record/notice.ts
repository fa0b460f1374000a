import { Gid } from "../value/gid.js";
import type { Lid } from "../value/lid.js";
import { needBytes } from "../wire/check.js";
import { bits, putBytes, putU16, putU24 } from "../wire/put.js";

/** Bytes of a Notice on the wire. */
export const NOTICE_SIZE = 80;

/** Trap numbers (IBA 14.2.5.1) in {@link Notice.trapNumber} of generic notices. */
export const TrapNumber = {
  /** A GID came into service; its GID is at byte 6 of the details. */
  GID_IN_SERVICE: 64,
  /** A GID went out of service. */
  GID_OUT_OF_SERVICE: 65,
  /** A multicast group was created. */
  MGID_CREATED: 66,
  /** A multicast group was deleted. */
  MGID_DELETED: 67,
  UNPATH: 68,
  REPATH: 69,
  /** Link state of a switch port changed; the switch's LID is at byte 0 of the details. */
  LINK_STATE_CHANGED: 128,
  /** Too many local link errors on a port; LID at byte 2 of the details, port number at byte 4, as in the next two. */
  LINK_INTEGRITY: 129,
  /** A port's input buffer has overrun. */
  BUFFER_OVERRUN: 130,
  /** A port has had no flow control update in time. */
  FLOW_CONTROL_WATCHDOG: 131,
  /** Capability mask, node description and the like changed. */
  LOCAL_CHANGES: 144,
  BAD_MKEY: 256,
  BAD_PKEY: 257,
  BAD_QKEY: 258,
} as const;

/** Values of {@link Notice.type}. */
export const NoticeType = {
  FATAL: 0,
  URGENT: 1,
  SECURITY: 2,
  SUBNET_MANAGEMENT: 3,
  INFORMATIONAL: 4,
  EMPTY: 0x7f,
} as const;

/** Notice (IBA 13.4.8.2), the content of traps and reports. Host form; 80 bytes big-endian on the wire. */
export interface Notice {
  /** Generic, not vendor-specific. */
  readonly isGeneric: boolean;
  /** 7 bits, see {@link NoticeType}. */
  readonly type: number;
  /** 24 bits: node type (generic) or vendor id. */
  readonly producerType: number;
  /** Trap number (generic, see {@link TrapNumber}) or device id. */
  readonly trapNumber: number;
  readonly issuerLid: Lid;
  /** Changes with each new notice of the same kind. */
  readonly toggle: boolean;
  /** 15 bits. */
  readonly count: number;
  /** 54 bytes as on the wire; their meaning depends on the trap. */
  readonly details: Uint8Array;
  /** GID of the port the notice is from; set in reports, not in traps. */
  readonly issuerGid: Gid;
}

/** Encodes to 80 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeNotice(n: Notice): Buffer {
  const buf = Buffer.alloc(NOTICE_SIZE);
  buf[0] = (n.isGeneric ? 0x80 : 0) | bits(n.type, 7, "Notice.type");
  putU24(buf, 1, n.producerType, "Notice.producerType");
  putU16(buf, 4, n.trapNumber, "Notice.trapNumber");
  putU16(buf, 6, n.issuerLid, "Notice.issuerLid");
  putU16(buf, 8, (n.toggle ? 0x8000 : 0) | bits(n.count, 15, "Notice.count"), "Notice.count");
  putBytes(buf, 10, n.details, 54, "Notice.details");
  Gid.write(buf, 64, n.issuerGid);
  return buf;
}

/** Decodes 80 bytes at `offset`; the details are a copy. Throws `VERBENA_IB_MALFORMED`. */
export function decodeNotice(buf: Buffer, offset = 0): Notice {
  needBytes("Notice", buf, offset, NOTICE_SIZE);
  const toggleCount = buf.readUInt16BE(offset + 8);
  return {
    isGeneric: buf.readUInt8(offset) >= 0x80,
    type: buf.readUInt8(offset) & 0x7f,
    producerType: buf.readUIntBE(offset + 1, 3),
    trapNumber: buf.readUInt16BE(offset + 4),
    issuerLid: buf.readUInt16BE(offset + 6) as Lid,
    toggle: toggleCount >= 0x8000,
    count: toggleCount & 0x7fff,
    details: Uint8Array.prototype.slice.call(buf, offset + 10, offset + 64),
    issuerGid: Gid.read(buf, offset + 64),
  };
}
