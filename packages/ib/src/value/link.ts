const LANES: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [2, 4],
  [4, 8],
  [8, 12],
  [16, 2],
]);

/** Nominal Gb/s a lane, as rate codes count it (FDR 14.0625 counts as 14, FDR10 as QDR). */
const PER_LANE: ReadonlyMap<number, number> = new Map([
  [1, 2.5],
  [2, 5],
  [4, 10],
  [8, 10],
  [16, 14],
  [32, 25],
  [64, 50],
  [128, 100],
  [256, 200],
]);

const SPEED_NAMES: ReadonlyMap<number, string> = new Map([
  [1, "SDR"],
  [2, "DDR"],
  [4, "QDR"],
  [8, "FDR10"],
  [16, "FDR"],
  [32, "EDR"],
  [64, "HDR"],
  [128, "NDR"],
  [256, "XDR"],
]);

/** Link width codes, one bit each, as PortInfo and the verbs port attributes have them (IBA 14.2.5.6). */
export const LinkWidth = {
  WIDTH_1X: 1,
  WIDTH_4X: 2,
  WIDTH_8X: 4,
  WIDTH_12X: 8,
  WIDTH_2X: 16,
  /** Number of lanes of a width code; `undefined` if it is none. */
  lanes(code: number): number | undefined {
    return LANES.get(code);
  },
  /** Width code of 1, 2, 4, 8 or 12 lanes; `undefined` for any other number. */
  fromLanes(lanes: number): number | undefined {
    for (const [code, count] of LANES) if (count === lanes) return code;
    return undefined;
  },
  /** `4x`, or `code N` if unknown. */
  format(code: number): string {
    const lanes = LANES.get(code);
    return lanes === undefined ? `code ${code}` : `${lanes}x`;
  },
} as const;

/** Link speed codes, one bit each, as the verbs port attributes have them. PortInfo splits them over three fields. */
export const LinkSpeed = {
  SDR: 1,
  DDR: 2,
  QDR: 4,
  FDR10: 8,
  FDR: 16,
  EDR: 32,
  HDR: 64,
  NDR: 128,
  XDR: 256,
  /** Nominal Gb/s a lane, as the rate codes count; `undefined` for an unknown code. */
  gbpsPerLane(code: number): number | undefined {
    return PER_LANE.get(code);
  },
  /** Name of a speed code (`EDR`), or `code N` if unknown. */
  format(code: number): string {
    return SPEED_NAMES.get(code) ?? `code ${code}`;
  },
  /** Speed code of a name (any case); `undefined` if unknown. */
  fromName(name: string): number | undefined {
    const upper = name.toUpperCase();
    for (const [code, known] of SPEED_NAMES) if (known === upper) return code;
    return undefined;
  },
} as const;
