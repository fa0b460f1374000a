import { PingTurns } from "./ping-turns.js";

test("sockets take turns, and one whose answer is lost is passed over by the others", () => {
  const turns = new PingTurns(3);
  const sequences: unknown[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const index = turns.take(0n);
    // The answer to the second is lost.
    if (index !== undefined && index !== 1) sequences.push([index, turns.answered(index)?.sequence]);
  }
  expect(sequences).toEqual([
    [0, 1],
    [2, 3],
    [0, 4],
    [2, 5],
    [0, 6],
  ]);
});

test("there is none while all wait, and an answer that nobody waits for is one too many", () => {
  const turns = new PingTurns(2);
  expect([turns.take(5n), turns.take(6n), turns.take(7n)]).toEqual([0, 1, undefined]);
  expect(turns.answered(1)).toEqual({ sequence: 2, sentNs: 6n });
  expect(turns.answered(1)).toBeUndefined();
  expect(turns.take(8n)).toBe(1);
  expect(turns.sent).toBe(3);
});
