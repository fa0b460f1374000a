import { badSyntax, badValue, checkU64, needBytes } from "../wire/check.js";
import type { Branded } from "./brand.js";
import { formatWords, parseWords } from "./ipv6-text.js";

/**
 * Global identifier (IBA 4.1.1): 128 bits, high 64 = subnet prefix, low 64 = interface id (a port GUID). A branded `bigint` in
 * host form: equal GIDs are equal by `===`. On the wire 16 bytes, big-endian.
 */
export type Gid = Branded<bigint, "Gid">;

const MASK64 = 0xffff_ffff_ffff_ffffn;
const RANGE = "0…2^128-1 as a bigint";
const EXPECTED = "IPv6 text such as fe80::2:c903:0:1";

function tryParse(text: string): Gid | undefined {
  const words = typeof text === "string" ? parseWords(text) : undefined;
  if (words === undefined) return undefined;
  let value = 0n;
  for (let i = 0; i < 8; i += 2) value = (value << 32n) | BigInt((words[i] ?? 0) * 0x1_0000 + (words[i + 1] ?? 0));
  return value as Gid;
}

function words32(gid: Gid): readonly number[] {
  const words: number[] = [];
  for (const shift of [96n, 64n, 32n, 0n]) {
    const word = Number((gid >> shift) & 0xffff_ffffn);
    words.push(word >>> 16, word & 0xffff);
  }
  return words;
}

/** Operations on {@link Gid}. */
export const Gid = {
  /** Bytes on the wire. */
  SIZE: 16,
  /** `::`, the GID that stands for "none". */
  zero: 0n as Gid,
  /** Subnet prefix fe80::/64, the default of a subnet that nobody configured. */
  linkLocalPrefix: 0xfe80_0000_0000_0000n,

  /** Brands a 128-bit value. Throws `VERBENA_IB_VALUE`. */
  from(value: bigint): Gid {
    if (typeof value === "bigint" && value >= 0n && value >> 128n === 0n) return value as Gid;
    throw badValue("Gid", value, RANGE);
  },
  /** Joins subnet prefix and interface id (port GUID), 64 bits each. Throws `VERBENA_IB_VALUE`. */
  of(prefix: bigint, guid: bigint): Gid {
    return ((checkU64(prefix, "Gid.prefix") << 64n) | checkU64(guid, "Gid.guid")) as Gid;
  },
  /** High 64 bits. */
  prefix(gid: Gid): bigint {
    return gid >> 64n;
  },
  /** Low 64 bits: the interface id. */
  guid(gid: Gid): bigint {
    return gid & MASK64;
  },
  /** Parses IPv6 text without zone or prefix length. Throws `VERBENA_IB_SYNTAX`. */
  parse(text: string): Gid {
    const gid = tryParse(text);
    if (gid === undefined) throw badSyntax("GID", text, EXPECTED);
    return gid;
  },
  /** As {@link Gid.parse}, but `undefined` for text that is no GID. */
  tryParse,
  /** Text exactly as `inet_ntop` of the C library prints it, mapped and compatible addresses dotted. */
  format(gid: Gid): string {
    return formatWords(words32(gid));
  },
  /** Reads 16 bytes, big-endian. Throws `VERBENA_IB_MALFORMED` if they are not there. */
  read(buf: Buffer, offset = 0): Gid {
    needBytes("Gid", buf, offset, 16);
    return ((buf.readBigUInt64BE(offset) << 64n) | buf.readBigUInt64BE(offset + 8)) as Gid;
  },
  /** Writes 16 bytes, big-endian. Throws `VERBENA_IB_MALFORMED` (no room) or `VERBENA_IB_VALUE`. */
  write(buf: Buffer, offset: number, gid: Gid): void {
    needBytes("Gid", buf, offset, 16);
    const prefix = typeof gid === "bigint" ? gid >> 64n : -1n;
    if (prefix < 0n || prefix > MASK64) throw badValue("Gid", gid, RANGE);
    buf.writeBigUInt64BE(prefix, offset);
    buf.writeBigUInt64BE(gid & MASK64, offset + 8);
  },
  /** True for ff00::/8. */
  isMulticast(gid: Gid): boolean {
    return gid >> 120n === 0xffn;
  },
  /** True for fe80::/10, the link-local scope. */
  isLinkLocal(gid: Gid): boolean {
    return gid >> 118n === 0x3fan;
  },
} as const;
