import { BackOff } from "./back-off.js";

test("the first try is at once; the bounds of later waits double from the least to a second", () => {
  const backOff = new BackOff(1, () => 0.5);
  const waits = Array.from({ length: 13 }, () => backOff.next());
  expect(waits).toEqual([0, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 500, 500]);
  backOff.reset();
  expect(backOff.next()).toBe(0);
});
