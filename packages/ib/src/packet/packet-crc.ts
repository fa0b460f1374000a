import { crc32 } from "node:zlib";
import { GRH_SIZE, LRH_SIZE } from "./ib-packet.js";

const LNH_GRH = 3;
/** x^16 + x^12 + x^3 + x + 1 with the least significant bit first (IBA 7.8.2). */
const VCRC_POLYNOMIAL = 0xd008;
const VCRC_TABLE: Uint16Array = /* @__PURE__ */ Uint16Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ VCRC_POLYNOMIAL;
  return value;
});

/**
 * Invariant CRC (IBA 7.8.1) of a packet from the LRH to the last byte of padding. What routers and switches may change counts as ones:
 * the virtual lane, or with a GRH the whole LRH, traffic class, flow label and hop limit; and the reserved byte of the BTH. A number;
 * it goes on the wire with its least significant byte first.
 */
export function invariantCrc(packet: Uint8Array): number {
  const masked = Buffer.from(packet);
  const mask = (from: number, count: number, bits = 0xff) => {
    for (let at = from; at < from + count && at < masked.length; at++) masked[at] = (masked[at] ?? 0) | bits;
  };
  const hasGrh = ((masked[1] ?? 0) & 3) === LNH_GRH;
  if (hasGrh) {
    mask(0, LRH_SIZE);
    mask(LRH_SIZE, 1, 0x0f);
    mask(LRH_SIZE + 1, 3);
    mask(LRH_SIZE + 7, 1);
  } else mask(0, 1, 0xf0);
  mask(LRH_SIZE + (hasGrh ? GRH_SIZE : 0) + 4, 1);
  return crc32(masked);
}

/** Variant CRC (IBA 7.8.2) of everything from the LRH to the invariant CRC; on the wire least significant byte first. */
export function variantCrc(bytes: Uint8Array): number {
  let value = 0xffff;
  for (const byte of bytes) value = (value >>> 8) ^ (VCRC_TABLE[(value ^ byte) & 0xff] ?? 0);
  return value ^ 0xffff;
}

/** A packet as it is on a real link: what `encodeIbPacket` gives, then 4 bytes of invariant and 2 bytes of variant CRC. */
export function sealIbPacket(packet: Uint8Array): Buffer {
  const sealed = Buffer.alloc(packet.length + 6);
  sealed.set(packet);
  sealed.writeUInt32LE(invariantCrc(packet), packet.length);
  sealed.writeUInt16LE(variantCrc(sealed.subarray(0, packet.length + 4)), packet.length + 4);
  return sealed;
}
