import { formatAge } from "./age.js";

describe("formatAge", () => {
  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1_000, "1.0 s"],
    [59_900, "59.9 s"],
    [720_000, "12 min"],
    [93_600_000, "26 h"],
  ])("%d ms is %s", (ms, text) => {
    expect(formatAge(ms)).toBe(text);
  });
});
