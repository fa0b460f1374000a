import { malformed } from "../wire/check.js";
import { readU16Host, writeU16Host } from "../wire/host-order.js";
import { NetlinkLs, NetlinkLsAttribute } from "./constants.js";

/** One attribute of the local service. */
export interface NetlinkAttribute {
  /** See `NetlinkLsAttribute`, without the mandatory bit. */
  readonly number: number;
  readonly isMandatory: boolean;
  /** A view of the message. */
  readonly payload: Buffer;
}

const HEADER_SIZE = 4;

/** Payload sizes of the known attributes. */
const SIZES: ReadonlyMap<number, number> = new Map([
  [NetlinkLsAttribute.PATH_RECORD, 72],
  [NetlinkLsAttribute.TIMEOUT, 4],
  [NetlinkLsAttribute.SERVICE_ID, 8],
  [NetlinkLsAttribute.DGID, 16],
  [NetlinkLsAttribute.SGID, 16],
  [NetlinkLsAttribute.TCLASS, 1],
  [NetlinkLsAttribute.PKEY, 2],
  [NetlinkLsAttribute.QOS_CLASS, 2],
  [NetlinkLsAttribute.IPV4, 4],
  [NetlinkLsAttribute.IPV6, 16],
]);

/**
 * Reads the attributes from `offset` to the end of the message: 16-bit length (4 + payload) and 16-bit type in host order, payload,
 * padding to 4. Unknown optional attributes are skipped. Throws `VERBENA_IB_MALFORMED` for an unknown mandatory one, a known one of
 * the wrong size and a length that does not fit.
 */
export function decodeNetlinkAttributes(buf: Buffer, offset: number): NetlinkAttribute[] {
  const attributes: NetlinkAttribute[] = [];
  for (let at = offset; at < buf.length; ) {
    if (at + HEADER_SIZE > buf.length) throw malformed("NetlinkAttribute", "4 bytes", `${buf.length - at} bytes`);
    const length = readU16Host(buf, at);
    const type = readU16Host(buf, at + 2);
    if (length < HEADER_SIZE || at + length > buf.length) {
      throw malformed("NetlinkAttribute", `a length of 4 to ${buf.length - at}`, `length ${length}`);
    }
    const isMandatory = (type & NetlinkLs.ATTRIBUTE_MANDATORY) !== 0;
    const number = type & ~NetlinkLs.ATTRIBUTE_MANDATORY;
    const size = SIZES.get(number);
    if (size === undefined) {
      if (isMandatory) throw malformed("NetlinkAttribute", "a known mandatory attribute", `number ${number}`);
    } else if (length !== HEADER_SIZE + size) {
      throw malformed(`NetlinkAttribute ${number}`, `${size} bytes`, `${length - HEADER_SIZE} bytes`);
    } else {
      attributes.push({ number, isMandatory, payload: buf.subarray(at + HEADER_SIZE, at + length) });
    }
    at += (length + 3) & ~3;
  }
  return attributes;
}

/** Bytes an attribute takes, padding included. */
export function netlinkAttributeSize(payloadSize: number): number {
  return (HEADER_SIZE + payloadSize + 3) & ~3;
}

/** Writes one attribute into a zeroed buffer and returns the offset behind it. */
export function writeNetlinkAttribute(buf: Buffer, offset: number, attribute: NetlinkAttribute): number {
  const { number, isMandatory, payload } = attribute;
  writeU16Host(buf, offset, HEADER_SIZE + payload.length);
  writeU16Host(buf, offset + 2, number | (isMandatory ? NetlinkLs.ATTRIBUTE_MANDATORY : 0));
  buf.set(payload, offset + HEADER_SIZE);
  return offset + netlinkAttributeSize(payload.length);
}
