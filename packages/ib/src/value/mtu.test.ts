import { coded } from "../../test/coded.js";
import { Mtu } from "./mtu.js";

describe("Mtu", () => {
  it.each([
    [1, 256],
    [2, 512],
    [3, 1024],
    [4, 2048],
    [5, 4096],
  ])("code %i is %i bytes", (code, bytes) => {
    expect(Mtu.toBytes(Mtu.from(code))).toBe(bytes);
    expect(Mtu.fromBytes(bytes)).toBe(code);
    expect(Mtu.format(Mtu.from(code))).toBe(String(bytes));
  });

  it("passes unassigned codes as data", () => {
    expect(Mtu.toBytes(Mtu.from(6))).toBeUndefined();
    expect(Mtu.format(Mtu.from(6))).toBe("code 6");
    expect(Mtu.toBytes(Mtu.zero)).toBeUndefined();
  });

  it.each([0, 128, 1500, 8192, -256, Number.NaN])("knows no code of %d bytes", (bytes) => {
    expect(Mtu.fromBytes(bytes)).toBeUndefined();
  });

  it("refuses codes over six bits", () => {
    expect(() => Mtu.from(64)).toThrow(coded("VERBENA_IB_VALUE"));
  });
});
