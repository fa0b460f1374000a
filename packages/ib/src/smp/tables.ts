import type { PKey } from "../value/pkey.js";
import { badValue, needBytes } from "../wire/check.js";
import { putU16 } from "../wire/put.js";

/** Bytes of every table block on the wire. */
export const TABLE_BLOCK_SIZE = 64;
/** Entries of a linear forwarding table block. */
export const LFT_BLOCK_ENTRIES = 64;
/** Entries of a P_Key table block. */
export const PKEY_BLOCK_ENTRIES = 32;
/** Entries of a multicast forwarding table block. */
export const MFT_BLOCK_ENTRIES = 32;
/** Forwarding entry that means "no port": the packet is dropped. */
export const LFT_NO_PORT = 0xff;

/**
 * Encodes a LinearForwardingTable block (IBA 14.2.5.10): output port of LIDs 64·block … 64·block+63, one byte each. Entries not
 * given are {@link LFT_NO_PORT}. Throws `VERBENA_IB_VALUE`.
 */
export function encodeLftBlock(ports: readonly number[] | Uint8Array): Buffer {
  if (ports.length > LFT_BLOCK_ENTRIES) throw badValue("LinearForwardingTable.length", ports.length, "0…64");
  const buf = Buffer.alloc(TABLE_BLOCK_SIZE, LFT_NO_PORT);
  for (const [lid, port] of ports.entries()) {
    if (!Number.isInteger(port) || port < 0 || port > 0xff) throw badValue("LinearForwardingTable.port", port, "0…255");
    buf[lid] = port;
  }
  return buf;
}

/** Decodes a LinearForwardingTable block: a copy of its 64 bytes. Throws `VERBENA_IB_MALFORMED`. */
export function decodeLftBlock(buf: Buffer, offset = 0): Uint8Array {
  needBytes("LinearForwardingTable", buf, offset, TABLE_BLOCK_SIZE);
  return Uint8Array.prototype.slice.call(buf, offset, offset + TABLE_BLOCK_SIZE);
}

/** Encodes a P_KeyTable block (IBA 14.2.5.7): up to 32 keys, 16 bits big-endian each, the rest zero. Throws `VERBENA_IB_VALUE`. */
export function encodePKeyBlock(pkeys: readonly PKey[]): Buffer {
  if (pkeys.length > PKEY_BLOCK_ENTRIES) throw badValue("PKeyTable.length", pkeys.length, "0…32");
  return encode16(pkeys, "PKeyTable.pkey");
}

/** Decodes a P_KeyTable block: always 32 keys. Throws `VERBENA_IB_MALFORMED`. */
export function decodePKeyBlock(buf: Buffer, offset = 0): PKey[] {
  return decode16("PKeyTable", buf, offset) as PKey[];
}

/**
 * Encodes a MulticastForwardingTable block (IBA 14.2.5.12): for 32 multicast LIDs a 16-bit mask of output ports (of the 16 ports
 * that the attribute modifier selects). Throws `VERBENA_IB_VALUE`.
 */
export function encodeMftBlock(masks: readonly number[]): Buffer {
  if (masks.length > MFT_BLOCK_ENTRIES) throw badValue("MulticastForwardingTable.length", masks.length, "0…32");
  return encode16(masks, "MulticastForwardingTable.mask");
}

/** Decodes a MulticastForwardingTable block: always 32 masks. Throws `VERBENA_IB_MALFORMED`. */
export function decodeMftBlock(buf: Buffer, offset = 0): number[] {
  return decode16("MulticastForwardingTable", buf, offset);
}

function encode16(values: readonly number[], field: string): Buffer {
  const buf = Buffer.alloc(TABLE_BLOCK_SIZE);
  for (const [i, value] of values.entries()) putU16(buf, i * 2, value, field);
  return buf;
}

function decode16(what: string, buf: Buffer, offset: number): number[] {
  needBytes(what, buf, offset, TABLE_BLOCK_SIZE);
  const values: number[] = [];
  for (let i = 0; i < TABLE_BLOCK_SIZE; i += 2) values.push(buf.readUInt16BE(offset + i));
  return values;
}
