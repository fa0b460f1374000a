import { checkUint } from "../wire/check.js";
import type { Branded } from "./brand.js";

/** MTU code (IBA 15.2.5.16): 6 bits, 1 = 256 … 5 = 4096 bytes. Codes of newer hardware pass through as data. Codes are ordered. */
export type Mtu = Branded<number, "Mtu">;

/** Operations on {@link Mtu}. */
export const Mtu = {
  /** Code 0: not given. */
  zero: 0 as Mtu,
  MTU_256: 1 as Mtu,
  MTU_512: 2 as Mtu,
  MTU_1024: 3 as Mtu,
  MTU_2048: 4 as Mtu,
  MTU_4096: 5 as Mtu,

  /** Brands a code of 0…63. Throws `VERBENA_IB_VALUE`. */
  from(code: number): Mtu {
    return checkUint(code, 0x3f, "Mtu") as Mtu;
  },
  /** Bytes of a code; `undefined` for a code that is not assigned. */
  toBytes(code: Mtu): number | undefined {
    return code >= 1 && code <= 5 ? 128 << code : undefined;
  },
  /** Code of 256, 512, 1024, 2048 or 4096 bytes; `undefined` for any other number. */
  fromBytes(bytes: number): Mtu | undefined {
    const code = Math.log2(bytes) - 7;
    return code === 1 || code === 2 || code === 3 || code === 4 || code === 5 ? (code as Mtu) : undefined;
  },
  /** The bytes in decimal, or `code N` if unassigned. */
  format(code: Mtu): string {
    const bytes = Mtu.toBytes(code);
    return bytes === undefined ? `code ${code}` : String(bytes);
  },
} as const;
