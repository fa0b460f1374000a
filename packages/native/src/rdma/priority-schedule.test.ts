import fc from "fast-check";
import { PrioritySchedule } from "./priority-schedule.js";

/** The class of each turn, while what is ready is as given. */
function turns(schedule: PrioritySchedule, rounds: readonly (readonly number[])[]): readonly (number | undefined)[] {
  return rounds.map((ready) => {
    const chosen = schedule.next(ready);
    if (chosen !== undefined) schedule.took(chosen, ready);
    return chosen;
  });
}

const repeat = (count: number, ready: readonly number[]): readonly (readonly number[])[] =>
  Array.from({ length: count }, () => ready);

test("the most urgent class goes first; with nothing else to do every class gets all turns", () => {
  const schedule = new PrioritySchedule(8);
  expect(turns(schedule, [[], [2], [2], [0, 2], [1, 2]])).toEqual([undefined, 2, 2, 0, 1]);
});

test("one turn of eight is a lower class's, which lower classes take in rotation", () => {
  const served = turns(new PrioritySchedule(8), repeat(24, [0, 1, 2]));
  expect(served.map((turn, i) => (turn === 0 ? undefined : [i, turn])).filter(Boolean)).toEqual([
    [7, 1],
    [15, 2],
    [23, 1],
  ]);
});

test("a class that turns out to have nothing has had no turn: the next one is not passed over", () => {
  const schedule = new PrioritySchedule(3);
  turns(schedule, repeat(2, [0, 1, 2]));
  expect(schedule.next([0, 1, 2])).toBe(1);
  expect(schedule.next([0, 2])).toBe(2);
  schedule.took(2, [0, 2]);
  expect(schedule.next([0, 1])).toBe(0);
});

test("what becomes ready during a lower class's turn is next, though another lower class's turn has come", () => {
  const schedule = new PrioritySchedule(8);
  // Class 2 has waited for seven turns of class 1.
  expect(turns(schedule, [...repeat(7, [1, 2]), [0, 1, 2], [1, 2]])).toEqual([1, 1, 1, 1, 1, 1, 1, 0, 2]);
});

const CLASSES = [0, 1, 2, 3];

test("whatever is ready when: the turns are of who is ready, and the highest waits for one turn of a lower class at most", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 10 }),
      fc.array(fc.subarray(CLASSES), { maxLength: 300 }),
      (share, rounds) => {
        let before: number | undefined;
        for (const [i, turn] of turns(new PrioritySchedule(share), rounds).entries()) {
          const ready = rounds[i] ?? [];
          if (ready.length === 0) expect(turn).toBeUndefined();
          else expect(ready).toContain(turn);
          const [highest = 0] = ready;
          // It became ready during the turn before at the latest, which was its first of waiting if it was of a lower class.
          if (before !== undefined && before > highest) expect(turn).toBe(ready[0]);
          before = turn ?? before;
        }
      },
    ),
  );
});

test("whatever else is ready when: a lower class that has work keeps its share", () => {
  const lowest = 3;
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 10 }),
      fc.array(fc.subarray([0, 1, 2], { minLength: 1 }), { minLength: 300, maxLength: 300 }),
      (share, rounds) => {
        const served = turns(
          new PrioritySchedule(share),
          rounds.map((ready) => [...ready, lowest]),
        );
        // Each lower turn comes after `share` turns at most, put off once by each class that is more urgent than the one served last.
        let waited = 0;
        let longest = 0;
        let lower = 0;
        for (const [i, turn] of served.entries()) {
          const isLower = turn !== rounds[i]?.[0];
          waited = isLower ? 0 : waited + 1;
          longest = Math.max(longest, waited);
          if (isLower) lower++;
        }
        expect(longest).toBeLessThan(share + CLASSES.length);
        // Three classes below the highest take those turns in rotation.
        expect(served.filter((turn) => turn === lowest).length).toBeGreaterThanOrEqual(Math.floor(lower / 3));
      },
    ),
  );
});
