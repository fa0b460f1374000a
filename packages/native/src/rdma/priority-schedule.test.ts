import fc from "fast-check";
import { PrioritySchedule } from "./priority-schedule.js";

test("the most urgent class goes first; with nothing else to do every class gets all turns", () => {
  const schedule = new PrioritySchedule(8);
  expect(schedule.pick([])).toBeUndefined();
  expect([schedule.pick([2]), schedule.pick([2]), schedule.pick([0, 2]), schedule.pick([1, 2])]).toEqual([2, 2, 0, 1]);
});

test("one turn of eight is a lower class's, which lower classes take in rotation", () => {
  const schedule = new PrioritySchedule(8);
  const turns = Array.from({ length: 24 }, () => schedule.pick([0, 1, 2]));
  expect(turns.map((turn, i) => (turn === 0 ? undefined : [i, turn])).filter(Boolean)).toEqual([
    [7, 1],
    [15, 2],
    [23, 1],
  ]);
});

test("whatever is ready when: a class that has work waits for no more than its share among those that are lower", () => {
  const classes = [0, 1, 2, 3];
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 10 }),
      fc.array(fc.subarray(classes), { maxLength: 300 }),
      (share, rounds) => {
        const schedule = new PrioritySchedule(share);
        const waited = new Map<number, number>();
        for (const ready of rounds) {
          const picked = schedule.pick(ready);
          if (ready.length === 0) expect(picked).toBeUndefined();
          else expect(ready).toContain(picked);
          // The highest class that is ready never waits for two turns in a row.
          for (const one of classes) {
            const isWaiting = ready[0] === one && picked !== one;
            waited.set(one, isWaiting ? (waited.get(one) ?? 0) + 1 : 0);
            expect(waited.get(one)).toBeLessThanOrEqual(1);
          }
        }
      },
    ),
  );
});
