import { checkUint } from "../wire/check.js";
import type { Branded } from "./brand.js";
import { LinkSpeed, LinkWidth } from "./link.js";

/**
 * Rate code (IBA 15.2.5.16): 6 bits. The codes are **not** in order of speed: compare with {@link Rate.compare}. Codes of newer
 * hardware pass through as data.
 */
export type Rate = Branded<number, "Rate">;

/** Code to Gb/s. */
const GBPS: ReadonlyMap<number, number> = new Map([
  [2, 2.5],
  [3, 10],
  [4, 30],
  [5, 5],
  [6, 20],
  [7, 40],
  [8, 60],
  [9, 80],
  [10, 120],
  [11, 14],
  [12, 56],
  [13, 112],
  [14, 168],
  [15, 25],
  [16, 100],
  [17, 200],
  [18, 300],
  [19, 28],
  [20, 50],
  [21, 400],
  [22, 600],
  [23, 800],
  [24, 1200],
]);

const CODES: ReadonlyMap<number, Rate> = new Map([...GBPS].map(([code, gbps]) => [gbps, code as Rate]));

/** Highest rate that the option `min_rate` of ibacm's option file can name. */
const MIN_RATE_MAX = 300;

/** Operations on {@link Rate}. */
export const Rate = {
  /** Code 0: not given. */
  zero: 0 as Rate,
  /** 2.5 Gb/s, the lowest. */
  RATE_2_5: 2 as Rate,
  /** 10 Gb/s: 4x SDR. */
  RATE_10: 3 as Rate,

  /** Brands a code of 0…63. Throws `VERBENA_IB_VALUE`. */
  from(code: number): Rate {
    return checkUint(code, 0x3f, "Rate") as Rate;
  },
  /** Gb/s of a code; `undefined` for a code that is not assigned. */
  toGbps(code: Rate): number | undefined {
    return GBPS.get(code);
  },
  /** Code of an assigned speed in Gb/s (2.5, 5, 10, 14 …); `undefined` for any other number. */
  fromGbps(gbps: number): Rate | undefined {
    return CODES.get(gbps);
  },
  /** Code for a value of the option `min_rate`: 2 (stands for 2.5), 5, 10, 14 … 300; `undefined` for any other number. */
  fromMinRateOption(option: number): Rate | undefined {
    if (option === 2) return Rate.RATE_2_5;
    return Number.isInteger(option) && option !== 28 && option !== 50 && option <= MIN_RATE_MAX
      ? CODES.get(option)
      : undefined;
  },
  /**
   * Code of a link from its active width and speed codes (one bit set each, see {@link LinkWidth} and {@link LinkSpeed}).
   * FDR10 counts as QDR. `undefined` if a code is unknown or no rate code exists for the product.
   */
  fromWidthSpeed(widthCode: number, speedCode: number): Rate | undefined {
    const lanes = LinkWidth.lanes(widthCode);
    const perLane = LinkSpeed.gbpsPerLane(speedCode);
    return lanes === undefined || perLane === undefined ? undefined : CODES.get(lanes * perLane);
  },
  /** Negative, zero or positive as `a` is slower than, as fast as or faster than `b`; unassigned codes come last, by number. */
  compare(a: Rate, b: Rate): number {
    if (a === b) return 0;
    return (GBPS.get(a) ?? 1e6 + a) - (GBPS.get(b) ?? 1e6 + b);
  },
  /** `2.5 Gb/s`, or `code N` if unassigned. */
  format(code: Rate): string {
    const gbps = GBPS.get(code);
    return gbps === undefined ? `code ${code}` : `${gbps} Gb/s`;
  },
  /** All assigned codes, slowest first. */
  all(): readonly Rate[] {
    return [...CODES.entries()].sort(([a], [b]) => a - b).map(([, code]) => code);
  },
} as const;
