import { LimitedPace } from "./reading-pace.js";

it("a reader gets so many messages a second, those it did not find back, and saves up a hundredth of a second's worth", () => {
  let now = 0;
  const pace = new LimitedPace(1000, () => now);
  const taken = (): number => {
    let count = 0;
    while (pace.take()) count += 1;
    return count;
  };
  expect(taken()).toBe(0);
  now = 5;
  expect(taken()).toBe(5);
  expect(pace.isSpent).toBe(true);
  pace.giveBack();
  expect([pace.isSpent, taken()]).toEqual([false, 1]);
  now = 10_000;
  expect(taken()).toBe(10);
});
