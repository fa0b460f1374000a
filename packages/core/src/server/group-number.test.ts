import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { groupNumber } from "./group-number.js";

describe("number of a group", () => {
  const dir = mkdtempSync(join(tmpdir(), "groups-"));
  const file = join(dir, "group");
  writeFileSync(file, "root:x:0:\nrdma:x:118:alice,bob\nbroken\n");
  afterAll(() => rmSync(dir, { recursive: true }));

  it.each([
    ["rdma", 118],
    ["root", 0],
    ["42", 42],
    ["nobody-here", undefined],
    ["broken", undefined],
  ])("%s is %p", (group, number) => {
    expect(groupNumber(group, file)).toBe(number);
  });
});
