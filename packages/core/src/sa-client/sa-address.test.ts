import { Lid, PKey } from "@verbena/ib";
import type { Port } from "../sdk/endpoint.js";
import { isFromSa, saPkeyIndex } from "./sa-address.js";

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

describe("isFromSa", () => {
  const pkeys = [0x8001, 0xffff, 0].map((value) => PKey.from(value));
  const port = { smLid: Lid.from(9), pkeys } as Partial<Port> as Port;
  const from = { lid: Lid.from(9), qpn: 1, pkeyIndex: 1 };

  it.each([
    ["QP1 at the SM's LID, in the SA's partition", {}, true],
    ["another LID", { lid: Lid.from(8) }, false],
    ["another queue pair", { qpn: 2 }, false],
    ["another partition", { pkeyIndex: 0 }, false],
    ["an entry without a P_Key, which hardware never takes anything by", { pkeyIndex: 2 }, true],
    ["an entry beyond the table", { pkeyIndex: 257 }, true],
  ])("%s", (_name, change, verdict) => {
    expect(isFromSa(port, { ...from, ...change })).toBe(verdict);
  });
});
