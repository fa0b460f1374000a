import { askingTimeMs, retryGapMs, subnetTimeoutMs } from "./retry-gaps.js";

const sum = (count: number, random: () => number): number =>
  Array.from({ length: count }, (_, tried) => retryGapMs(tried, random)).reduce((a, b) => a + b, 0);

describe("when a request is sent again", () => {
  it("gaps grow", () => {
    const gaps = Array.from({ length: 18 }, (_, tried) => retryGapMs(tried, () => 0.5));
    expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
    expect(gaps[0]).toBe(60);
  });

  it("no two hosts keep the same gaps: a fifth is by lot either way", () => {
    expect([0, 1].map((lot) => retryGapMs(0, () => lot))).toEqual([48, 72]);
  });

  it("16 tries fit into six seconds, the time a request has by default, however the lot falls", () => {
    expect(sum(15, () => 1)).toBeLessThan(6_000);
  });

  it("an address is asked for as long as ibacm asks: three times the subnet time-out and the time-out, 9 s", () => {
    expect(subnetTimeoutMs(18)).toBe(1024);
    expect(subnetTimeoutMs(7)).toBe(0);
    expect(askingTimeMs({ retries: 2, timeoutMs: 2000 }, { subnetTimeout: 18 })).toBe(9072);
  });
});
