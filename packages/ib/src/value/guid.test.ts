import fc from "fast-check";
import { coded } from "../../test/coded.js";
import { Guid } from "./guid.js";

describe("Guid", () => {
  it("parses and formats", () => {
    expect(Guid.parse("0x0002c90300000001")).toBe(0x0002_c903_0000_0001n);
    expect(Guid.parse("100001")).toBe(0x10_0001n);
    expect(Guid.parse("0002:c903:0000:aa02")).toBe(0x0002_c903_0000_aa02n);
    expect(Guid.format(Guid.from(0x10_0001n))).toBe("0x0000000000100001");
  });

  it("reads back what it wrote, as text and as bytes", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (value) => {
        const guid = Guid.from(value);
        const buf = Buffer.alloc(8);
        Guid.write(buf, 0, guid);
        expect(Guid.read(buf)).toBe(guid);
        expect(buf.toString("hex")).toBe(Guid.format(guid).slice(2));
        expect(Guid.parse(Guid.format(guid))).toBe(guid);
      }),
    );
  });

  it.each(["", "0x", "0x00000000000000001", "g", "1:2:3:4", "0002:c903:0000:aa0"])("refuses %j", (text) => {
    expect(() => Guid.parse(text)).toThrow(coded("VERBENA_IB_SYNTAX"));
  });

  it("refuses values over 64 bits and short buffers", () => {
    expect(() => Guid.from(1n << 64n)).toThrow(coded("VERBENA_IB_VALUE"));
    expect(() => Guid.read(Buffer.alloc(7))).toThrow(coded("VERBENA_IB_MALFORMED"));
  });
});
