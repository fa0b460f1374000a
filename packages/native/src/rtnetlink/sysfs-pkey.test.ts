import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSysfsPkey } from "./sysfs-pkey.js";

const root = mkdtempSync(join(tmpdir(), "verbena-sysfs-"));
afterAll(() => rmSync(root, { recursive: true }));

test.each([
  ["0x8001\n", 0x8001],
  ["0xffff\n", 0xffff],
  ["nonsense\n", undefined],
])("pkey file %j", (text, expected) => {
  mkdirSync(join(root, "ib0"), { recursive: true });
  writeFileSync(join(root, "ib0", "pkey"), text);
  expect(readSysfsPkey("ib0", root)).toBe(expected);
});

test("no such interface", () => {
  expect(readSysfsPkey("ib7", root)).toBeUndefined();
});
