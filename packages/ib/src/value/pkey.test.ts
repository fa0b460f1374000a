import { coded } from "../../test/coded.js";
import { PKey } from "./pkey.js";

describe("PKey", () => {
  it("parses hexadecimal with and without 0x, formats four digits", () => {
    expect(PKey.parse("0xffff")).toBe(0xffff);
    expect(PKey.parse("7fff")).toBe(0x7fff);
    expect(PKey.format(PKey.from(0x1))).toBe("0x0001");
  });

  it.each(["", "0x", "0x12345", "default", "-1"])("refuses %j", (text) => {
    expect(() => PKey.parse(text)).toThrow(coded("VERBENA_IB_SYNTAX"));
  });

  it.each([
    // a, b, same partition, may talk
    [0xffff, 0x7fff, true, true],
    [0xffff, 0xffff, true, true],
    [0x7fff, 0x7fff, true, false],
    [0x8001, 0x0001, true, true],
    [0x8001, 0x8002, false, false],
    [0x8000, 0x0000, true, false],
  ])("%i and %i: same partition %s, may talk %s", (a, b, same, talk) => {
    expect(PKey.samePartition(PKey.from(a), PKey.from(b))).toBe(same);
    expect(PKey.canTalk(PKey.from(a), PKey.from(b))).toBe(talk);
    expect(PKey.canTalk(PKey.from(b), PKey.from(a))).toBe(talk);
  });

  it("knows membership and base", () => {
    expect(PKey.isFullMember(PKey.DEFAULT)).toBe(true);
    expect(PKey.isFullMember(PKey.DEFAULT_LIMITED)).toBe(false);
    expect(PKey.base(PKey.from(0x8001))).toBe(1);
    expect(PKey.full(PKey.from(1))).toBe(0x8001);
    expect(PKey.isValid(PKey.from(0x8000))).toBe(false);
    expect(PKey.isValid(PKey.from(0x8001))).toBe(true);
  });
});
