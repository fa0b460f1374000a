import { writeSync } from "node:fs";
import { storm } from "./support/storm.js";

jest.setTimeout(120_000);

it("100 hosts in one base group, each asked for five others at once: every answer is right", async () => {
  const { problems, figures } = await storm({ hosts: 100, asked: 5 });
  writeSync(2, `${figures.join("\n")}\n`);
  expect(problems).toEqual([]);
});
