import { packetLifeTimeToMicroseconds, Selector } from "./selector.js";

describe("packet lifetime", () => {
  it.each([
    [0, 4.096],
    [18, 1073741.824],
  ])("code %i is %d µs", (code, microseconds) => {
    expect(packetLifeTimeToMicroseconds(code)).toBeCloseTo(microseconds, 6);
  });
});

describe("Selector", () => {
  it("has the codes of the architecture", () => {
    expect(Selector).toEqual({ GREATER: 0, LESS: 1, EXACTLY: 2, BEST: 3 });
  });
});
