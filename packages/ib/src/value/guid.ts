import { badSyntax, checkU64, needBytes } from "../wire/check.js";
import type { Branded } from "./brand.js";

/** EUI-64 of a node, port or system image (IBA 4.1). A branded 64-bit `bigint` in host form; 8 bytes big-endian on the wire. */
export type Guid = Branded<bigint, "Guid">;

const EXPECTED = "up to 16 hexadecimal digits, such as 0x0002c90300000001";

function tryParse(text: string): Guid | undefined {
  if (typeof text !== "string") return undefined;
  const plain = /^(?:0x)?([0-9a-f]{1,16})$/i.exec(text)?.[1];
  if (plain !== undefined) return BigInt(`0x${plain}`) as Guid;
  if (/^[0-9a-f]{4}(?::[0-9a-f]{4}){3}$/i.test(text)) return BigInt(`0x${text.replaceAll(":", "")}`) as Guid;
  return undefined;
}

/** Operations on {@link Guid}. */
export const Guid = {
  /** Bytes on the wire. */
  SIZE: 8,
  /** Zero, the GUID that stands for "none". */
  zero: 0n as Guid,

  /** Brands a 64-bit value. Throws `VERBENA_IB_VALUE`. */
  from(value: bigint): Guid {
    return checkU64(value, "Guid") as Guid;
  },
  /** Parses hexadecimal text, `0x` optional, or sysfs' form `0002:c903:0000:0001`. Throws `VERBENA_IB_SYNTAX`. */
  parse(text: string): Guid {
    const guid = tryParse(text);
    if (guid === undefined) throw badSyntax("GUID", text, EXPECTED);
    return guid;
  },
  /** As {@link Guid.parse}, but `undefined` for text that is no GUID. */
  tryParse,
  /** `0x` and 16 lower-case hexadecimal digits. */
  format(guid: Guid): string {
    return `0x${guid.toString(16).padStart(16, "0")}`;
  },
  /** Reads 8 bytes, big-endian. Throws `VERBENA_IB_MALFORMED`. */
  read(buf: Buffer, offset = 0): Guid {
    needBytes("Guid", buf, offset, 8);
    return buf.readBigUInt64BE(offset) as Guid;
  },
  /** Writes 8 bytes, big-endian. Throws `VERBENA_IB_MALFORMED` (no room) or `VERBENA_IB_VALUE`. */
  write(buf: Buffer, offset: number, guid: Guid): void {
    needBytes("Guid", buf, offset, 8);
    buf.writeBigUInt64BE(checkU64(guid, "Guid"), offset);
  },
} as const;
