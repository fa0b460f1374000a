import { badSyntax, checkUint } from "../wire/check.js";
import type { Branded } from "./brand.js";

/** Local identifier (IBA 4.1.3): 16 bits. 0 none, 1–0xbfff unicast, 0xc000–0xfffe multicast, 0xffff permissive. */
export type Lid = Branded<number, "Lid">;

function tryParse(text: string): Lid | undefined {
  if (typeof text !== "string" || !/^(?:\d{1,5}|0x[0-9a-f]{1,4})$/i.test(text)) return undefined;
  const value = Number(text);
  return value <= 0xffff ? (value as Lid) : undefined;
}

/** Operations on {@link Lid}. */
export const Lid = {
  /** No LID. */
  zero: 0 as Lid,
  /** Lowest and highest unicast and multicast LID. */
  UNICAST_MIN: 1 as Lid,
  UNICAST_MAX: 0xbfff as Lid,
  MULTICAST_MIN: 0xc000 as Lid,
  MULTICAST_MAX: 0xfffe as Lid,
  /** Permissive LID: "any", used by directed-route SMPs. */
  PERMISSIVE: 0xffff as Lid,

  /** Brands 0…0xffff. Throws `VERBENA_IB_VALUE`. */
  from(value: number): Lid {
    return checkUint(value, 0xffff, "Lid") as Lid;
  },
  /** Parses decimal, or hexadecimal with `0x`. Throws `VERBENA_IB_SYNTAX`. */
  parse(text: string): Lid {
    const lid = tryParse(text);
    if (lid === undefined) throw badSyntax("LID", text, "0…65535, decimal or 0x hexadecimal");
    return lid;
  },
  /** As {@link Lid.parse}, but `undefined` for text that is no LID. */
  tryParse,
  /** Decimal text. */
  format(lid: Lid): string {
    return String(lid);
  },
  /** True for 1…0xbfff. */
  isUnicast(lid: Lid): boolean {
    return lid >= 1 && lid <= 0xbfff;
  },
  /** True for 0xc000…0xfffe. */
  isMulticast(lid: Lid): boolean {
    return lid >= 0xc000 && lid <= 0xfffe;
  },
  /** The LID with its path bits cleared; `lmc` 0…7. Throws `VERBENA_IB_VALUE`. */
  base(lid: Lid, lmc: number): Lid {
    return (lid & ~((1 << checkUint(lmc, 7, "lmc")) - 1)) as Lid;
  },
} as const;
