import { writeSync } from "node:fs";
import { storm } from "./support/storm.js";

jest.setTimeout(120_000);

/** One process hears for all hosts, which on a real fabric each do so for themselves: as many ask at once as it can keep up with. */
const AT_ONCE = 10;
const DEADLINE_MS = 20_000;

it("100 hosts in one base group, each asked for five others: every answer is right", async () => {
  const { problems, figures } = await storm({ hosts: 100, asked: 5, atOnce: AT_ONCE, deadlineMs: DEADLINE_MS });
  writeSync(2, `${figures.join("\n")}\n`);
  expect(problems).toEqual([]);
});
