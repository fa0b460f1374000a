import { PKey } from "@verbena/ib";
import { saPkeyIndex } from "./sa-address.js";

describe("saPkeyIndex", () => {
  it.each([
    [[0x8001, 0xffff], 1],
    [[0x8001, 0x7fff], 1],
    [[0x7fff, 0xffff], 1],
    [[0x8001, 0x8002], 0],
    [[], 0],
  ])("prefers 0xffff, then 0x7fff, then index 0: %j", (table, index) => {
    expect(saPkeyIndex(table.map((value) => PKey.from(value)))).toBe(index);
  });
});
