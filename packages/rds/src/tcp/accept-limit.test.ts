import { VirtualClock } from "@verbena/core/testing";
import { AcceptLimit } from "./accept-limit.js";

/** How many of `calls` calls are taken. */
const taken = (limit: AcceptLimit, source: (call: number) => string, calls: number): number =>
  Array.from({ length: calls }, (_, call) => limit.allows(source(call))).filter(Boolean).length;

test("of one source as many calls are taken at once as in a second, and the rest as time goes by", async () => {
  const clock = new VirtualClock();
  const limit = new AcceptLimit(clock, 1000, 10);
  expect(taken(limit, () => "a", 50)).toBe(10);
  await clock.advance(500);
  expect(taken(limit, () => "a", 50)).toBe(5);
  await clock.advance(60_000);
  expect(taken(limit, () => "a", 50)).toBe(10);
});

test("a source that calls too often takes nothing from the others", () => {
  const limit = new AcceptLimit(new VirtualClock(), 20, 10);
  expect(taken(limit, () => "a", 1000)).toBe(10);
  expect(taken(limit, () => "b", 10)).toBe(10);
});

test("of all sources together no more are taken, however many there are", async () => {
  const clock = new VirtualClock();
  const limit = new AcceptLimit(clock, 100, 10);
  expect(taken(limit, (call) => `source ${call}`, 10_000)).toBe(100);
  await clock.advance(1000);
  expect(taken(limit, (call) => `source ${call}`, 10_000)).toBe(100);
});
