import { coded } from "../../test/coded.js";
import { LinkSpeed, LinkWidth } from "./link.js";
import { Rate } from "./rate.js";

/** Every assigned rate code (IBA 15.2.5.16) and its Gb/s. */
const CODES: readonly (readonly [number, number])[] = [
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
];

/** Values of the option `min_rate`, in the order of ibacm's option table, and their codes. */
const MIN_RATE: readonly (readonly [number, number])[] = [
  [2, 2],
  [5, 5],
  [10, 3],
  [14, 11],
  [20, 6],
  [25, 15],
  [30, 4],
  [40, 7],
  [56, 12],
  [60, 8],
  [80, 9],
  [100, 16],
  [112, 13],
  [120, 10],
  [168, 14],
  [200, 17],
  [300, 18],
];

/** Gb/s of 1x, 2x, 4x, 8x, 12x by speed; undefined where no rate code exists. */
const BY_SPEED: readonly (readonly [string, readonly (number | undefined)[]])[] = [
  ["SDR", [2.5, 5, 10, 20, 30]],
  ["DDR", [5, 10, 20, 40, 60]],
  ["QDR", [10, 20, 40, 80, 120]],
  ["FDR10", [10, 20, 40, 80, 120]],
  ["FDR", [14, 28, 56, 112, 168]],
  ["EDR", [25, 50, 100, 200, 300]],
  ["HDR", [50, 100, 200, 400, 600]],
  ["NDR", [100, 200, 400, 800, 1200]],
  ["XDR", [200, 400, 800, undefined, undefined]],
];

describe("Rate", () => {
  it.each(CODES)("code %i is %d Gb/s", (code, gbps) => {
    expect(Rate.toGbps(Rate.from(code))).toBe(gbps);
    expect(Rate.fromGbps(gbps)).toBe(code);
  });

  it("passes unassigned codes as data", () => {
    const known = new Set(CODES.map(([code]) => code));
    for (let code = 0; code < 64; code++) {
      if (known.has(code)) continue;
      expect(Rate.toGbps(Rate.from(code))).toBeUndefined();
      expect(Rate.format(Rate.from(code))).toBe(`code ${code}`);
    }
    expect(() => Rate.from(64)).toThrow(coded("VERBENA_IB_VALUE"));
  });

  it("takes exactly the values of min_rate", () => {
    const codes = new Map(MIN_RATE);
    for (let option = -1; option <= 1300; option++) expect(Rate.fromMinRateOption(option)).toBe(codes.get(option));
    expect(Rate.fromMinRateOption(2.5)).toBeUndefined();
  });

  describe.each(BY_SPEED)("of %s links", (name, gbps) => {
    it.each([1, 2, 4, 8, 12].map((lanes, i) => [lanes, gbps[i]] as const))("%ix is %p Gb/s", (lanes, expected) => {
      const rate = Rate.fromWidthSpeed(LinkWidth.fromLanes(lanes) ?? -1, LinkSpeed.fromName(name) ?? -1);
      expect(rate === undefined ? undefined : Rate.toGbps(rate)).toBe(expected);
    });
  });

  it("knows no rate of unknown widths or speeds", () => {
    expect(Rate.fromWidthSpeed(3, LinkSpeed.SDR)).toBeUndefined();
    expect(Rate.fromWidthSpeed(32, LinkSpeed.SDR)).toBeUndefined();
    expect(Rate.fromWidthSpeed(LinkWidth.WIDTH_4X, 512)).toBeUndefined();
    expect(Rate.fromWidthSpeed(LinkWidth.WIDTH_4X, 3)).toBeUndefined();
  });

  it("orders by speed, not by code", () => {
    const sorted = CODES.map(([code]) => Rate.from(code)).sort(Rate.compare);
    expect(sorted.map((rate) => Rate.toGbps(rate))).toEqual(CODES.map(([, gbps]) => gbps).sort((a, b) => a - b));
    expect(Rate.all()).toEqual(sorted);
    expect(Rate.compare(Rate.from(63), Rate.from(24))).toBeGreaterThan(0);
    expect(Rate.compare(Rate.from(63), Rate.from(63))).toBe(0);
  });

  it("formats with the unit", () => {
    expect(Rate.format(Rate.RATE_2_5)).toBe("2.5 Gb/s");
  });
});

describe("link codes", () => {
  it.each([
    [1, "1x"],
    [2, "4x"],
    [4, "8x"],
    [8, "12x"],
    [16, "2x"],
    [5, "code 5"],
  ])("width %i is %s", (code, text) => {
    expect(LinkWidth.format(code)).toBe(text);
  });

  it("speeds have names", () => {
    expect(LinkSpeed.format(LinkSpeed.NDR)).toBe("NDR");
    expect(LinkSpeed.format(3)).toBe("code 3");
    expect(LinkSpeed.fromName("hdr")).toBe(64);
    expect(LinkSpeed.fromName("GDR")).toBeUndefined();
  });
});
