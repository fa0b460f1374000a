import { coded } from "../../test/coded.js";
import { Lid } from "./lid.js";

describe("Lid", () => {
  it("parses decimal and hexadecimal, formats decimal", () => {
    expect(Lid.parse("49153")).toBe(0xc001);
    expect(Lid.parse("0xC001")).toBe(0xc001);
    expect(Lid.format(Lid.from(0xc001))).toBe("49153");
  });

  it.each(["", "-1", "65536", "0x10000", "1.5", "1 ", "lid"])("refuses %j", (text) => {
    expect(Lid.tryParse(text)).toBeUndefined();
    expect(() => Lid.parse(text)).toThrow(coded("VERBENA_IB_SYNTAX"));
  });

  it.each([
    [0, false, false],
    [1, true, false],
    [0xbfff, true, false],
    [0xc000, false, true],
    [0xfffe, false, true],
    [0xffff, false, false],
  ])("%i: unicast %s, multicast %s", (value, unicast, multicast) => {
    expect(Lid.isUnicast(Lid.from(value))).toBe(unicast);
    expect(Lid.isMulticast(Lid.from(value))).toBe(multicast);
  });

  it("clears path bits", () => {
    expect(Lid.base(Lid.from(0x17), 0)).toBe(0x17);
    expect(Lid.base(Lid.from(0x17), 2)).toBe(0x14);
    expect(Lid.base(Lid.from(0xbfff), 7)).toBe(0xbf80);
    expect(() => Lid.base(Lid.from(1), 8)).toThrow(coded("VERBENA_IB_VALUE"));
  });

  it.each([-1, 0x1_0000, 1.5, Number.NaN])("refuses %d", (value) => {
    expect(() => Lid.from(value)).toThrow(coded("VERBENA_IB_VALUE"));
  });
});
