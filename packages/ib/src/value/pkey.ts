import { badSyntax, checkUint } from "../wire/check.js";
import type { Branded } from "./brand.js";

/**
 * Partition key (IBA 10.9): 16 bits. The low 15 name the partition, bit 15 says whether the holder is a full member. Two raw keys
 * of one partition may differ: compare with {@link PKey.samePartition}, never by `===`.
 */
export type PKey = Branded<number, "PKey">;

function tryParse(text: string): PKey | undefined {
  const digits = typeof text === "string" ? /^(?:0x)?([0-9a-f]{1,4})$/i.exec(text)?.[1] : undefined;
  return digits === undefined ? undefined : (Number.parseInt(digits, 16) as PKey);
}

/** Operations on {@link PKey}. */
export const PKey = {
  /** Default partition, full member. */
  DEFAULT: 0xffff as PKey,
  /** Default partition, limited member. */
  DEFAULT_LIMITED: 0x7fff as PKey,
  /** Invalid key: an empty table entry; in requests "any". */
  zero: 0 as PKey,

  /** Brands 0…0xffff. Throws `VERBENA_IB_VALUE`. */
  from(value: number): PKey {
    return checkUint(value, 0xffff, "PKey") as PKey;
  },
  /** Parses hexadecimal text, `0x` optional. Throws `VERBENA_IB_SYNTAX`. */
  parse(text: string): PKey {
    const pkey = tryParse(text);
    if (pkey === undefined) throw badSyntax("P_Key", text, "up to four hexadecimal digits, such as 0xffff");
    return pkey;
  },
  /** As {@link PKey.parse}, but `undefined` for text that is no key. */
  tryParse,
  /** `0x` and four lower-case hexadecimal digits. */
  format(pkey: PKey): string {
    return `0x${pkey.toString(16).padStart(4, "0")}`;
  },
  /** The 15 bits that name the partition. */
  base(pkey: PKey): number {
    return pkey & 0x7fff;
  },
  /** The same partition with the full-member bit set. */
  full(pkey: PKey): PKey {
    return (pkey | 0x8000) as PKey;
  },
  /** True if bit 15 is set. */
  isFullMember(pkey: PKey): boolean {
    return (pkey & 0x8000) !== 0;
  },
  /** False for the two invalid keys, 0x0000 and 0x8000. */
  isValid(pkey: PKey): boolean {
    return (pkey & 0x7fff) !== 0;
  },
  /** True if both keys name the same partition, whatever the memberships. */
  samePartition(a: PKey, b: PKey): boolean {
    return (a & 0x7fff) === (b & 0x7fff);
  },
  /** True if holders of the two keys may exchange packets (IBA 10.9.3): same valid partition, at least one full member. */
  canTalk(a: PKey, b: PKey): boolean {
    return (a & 0x7fff) !== 0 && (a & 0x7fff) === (b & 0x7fff) && ((a | b) & 0x8000) !== 0;
  },
} as const;
