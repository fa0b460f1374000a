import { seeded } from "../../../../test/peers/seeded.js";
import { runCuts } from "./cuts.js";

test("over a hundred connections that break at any byte every message arrives once and in order, and no queue outgrows its limit", async () => {
  const { cuts, connections, repeated, mostQueued, problems } = await runCuts({
    messages: 10_000,
    cuts: 100,
    random: seeded(1),
  });
  expect(problems).toEqual([]);
  expect(cuts).toBe(100);
  expect(connections).toBeGreaterThan(100);
  // Delivered before the cut, acknowledged after it: the peer had to be sent them again.
  expect(repeated).toBeGreaterThan(0);
  expect(mostQueued).toBeLessThan(3 * (64 * 1024 + 8192));
});
