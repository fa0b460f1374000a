import { Gid } from "@verbena/ib";
import type { Print } from "./print.js";

/**
 * Prints the 64 bytes of a path record as `ib_acme` does: codes as numbers, five bits of them, no units. It works on the bytes,
 * because the flow label is shown with the bits in front of it.
 */
export function showPath(record: Buffer, print: Print): void {
  const word = record.readUInt32BE(44);
  print("Path information");
  print(`  dgid: ${Gid.format(Gid.read(record, 8))}`);
  print(`  sgid: ${Gid.format(Gid.read(record, 24))}`);
  print(`  dlid: ${record.readUInt16BE(40)}`);
  print(`  slid: ${record.readUInt16BE(42)}`);
  print(`  flow label: 0x${(word >>> 8).toString(16)}`);
  print(`  hop limit: ${word & 0xff}`);
  print(`  tclass: ${record.readUInt8(48)}`);
  print(`  reversible: ${record.readUInt8(49) >>> 7}`);
  print(`  pkey: 0x${record.readUInt16BE(50).toString(16)}`);
  print(`  sl: ${record.readUInt16BE(52) & 0xf}`);
  print(`  mtu: ${record.readUInt8(54) & 0x1f}`);
  print(`  rate: ${record.readUInt8(55) & 0x1f}`);
  print(`  packet lifetime: ${record.readUInt8(56) & 0x1f}`);
}
