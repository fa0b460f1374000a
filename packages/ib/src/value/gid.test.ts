import fc from "fast-check";
import { coded } from "../../test/coded.js";
import { hex } from "../../test/vectors.js";
import { Gid } from "./gid.js";

/** Bytes and the text that glibc's inet_ntop makes of them. */
const GLIBC: readonly (readonly [string, string])[] = [
  ["00000000000000000000000000000000", "::"],
  ["00000000000000000000000000000001", "::1"],
  ["00000000000000000000000000000100", "::100"],
  ["00000000000000000000000000010000", "::0.1.0.0"],
  ["000000000000000000000000c000020a", "::192.0.2.10"],
  ["00000000000000000000ffffc000020a", "::ffff:192.0.2.10"],
  ["00000000000000000000ffff00000000", "::ffff:0.0.0.0"],
  ["0000000000000000ffff0000c000020a", "::ffff:0:c000:20a"],
  ["fe800000000000000000000000100001", "fe80::10:1"],
  ["fe800000000000000002c9030000aa02", "fe80::2:c903:0:aa02"],
  ["ff154001ffff00030400000000000000", "ff15:4001:ffff:3:400::"],
  ["00010000000000020000000000000003", "1:0:0:2::3"],
  ["00010000000000020000000000030004", "1::2:0:0:3:4"],
  ["00000001000200030004000500060007", "0:1:2:3:4:5:6:7"],
  ["00010002000300040005000600070000", "1:2:3:4:5:6:7:0"],
  ["20010db8000000000001000000000001", "2001:db8::1:0:0:1"],
  ["00000000000000010000000000000000", "0:0:0:1::"],
  ["00010000000000000000000000000000", "1::"],
  ["00000000000100000000000000000000", "0:0:1::"],
];

/** Words that are often zero, so that runs of zeros of every length and place come up. */
const words = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 0xffff })), {
  minLength: 8,
  maxLength: 8,
});
const fromWords = (list: readonly number[]): Gid =>
  Gid.from(list.reduce((value, word) => (value << 16n) | BigInt(word), 0n));

describe("Gid.format", () => {
  it.each(GLIBC)("%s is %s", (bytes, text) => {
    expect(Gid.format(Gid.read(hex(bytes)))).toBe(text);
    expect(Gid.parse(text)).toBe(Gid.read(hex(bytes)));
  });

  it("agrees with the URL parser where no dotted form is due", () => {
    fc.assert(
      fc.property(words, (list) => {
        fc.pre(list.slice(0, 5).some((word) => word !== 0));
        const plain = list.map((word) => word.toString(16)).join(":");
        expect(Gid.format(fromWords(list))).toBe(new URL(`http://[${plain}]/`).hostname.slice(1, -1));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("Gid.parse", () => {
  it("reads back what format writes", () => {
    fc.assert(
      fc.property(words, (list) => {
        const gid = fromWords(list);
        expect(Gid.parse(Gid.format(gid))).toBe(gid);
      }),
      { numRuns: 1000 },
    );
  });

  it("accepts what the URL parser accepts, with the same value", () => {
    const piece = fc.constantFrom("", "0", "1", "fe80", "::", ":", "10000", "1.2.3.4", "255.1.1.256", "g", "ABCD");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const text = pieces.join(":").replace(/:::+/g, "::");
        const parsed = Gid.tryParse(text);
        let url: string | undefined;
        try {
          url = new URL(`http://[${text}]/`).hostname.slice(1, -1);
        } catch {
          url = undefined;
        }
        expect(parsed).toBe(url === undefined ? undefined : Gid.parse(url));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    "",
    ":",
    "1",
    "fe80::1%eth0",
    "fe80::/64",
    "1:2:3:4:5:6:7:8:9",
    "::1::",
    "12345::",
    "::01.2.3.4",
    "[::]",
    " ::1",
  ])("refuses %j", (text) => {
    expect(Gid.tryParse(text)).toBeUndefined();
    expect(() => Gid.parse(text)).toThrow(coded("VERBENA_IB_SYNTAX"));
  });
});

describe("Gid", () => {
  it("joins and splits prefix and GUID", () => {
    const gid = Gid.of(Gid.linkLocalPrefix, 0x0002_c903_0000_aa02n);
    expect(Gid.format(gid)).toBe("fe80::2:c903:0:aa02");
    expect(Gid.prefix(gid)).toBe(0xfe80_0000_0000_0000n);
    expect(Gid.guid(gid)).toBe(0x0002_c903_0000_aa02n);
  });

  it("writes what it reads", () => {
    const bytes = hex("ff 20010db8 00*10 0102");
    const copy = Buffer.alloc(17);
    Gid.write(copy, 1, Gid.read(bytes, 1));
    expect(copy.subarray(1)).toEqual(bytes.subarray(1));
  });

  it("knows multicast and link-local", () => {
    expect(Gid.isMulticast(Gid.parse("ff15:4001::"))).toBe(true);
    expect(Gid.isMulticast(Gid.parse("fe80::1"))).toBe(false);
    expect(Gid.isLinkLocal(Gid.parse("febf::1"))).toBe(true);
    expect(Gid.isLinkLocal(Gid.parse("fec0::1"))).toBe(false);
  });

  it("refuses what does not fit", () => {
    const value = coded("VERBENA_IB_VALUE");
    expect(() => Gid.from(-1n)).toThrow(value);
    expect(() => Gid.from(1n << 128n)).toThrow(value);
    expect(() => Gid.of(1n << 64n, 0n)).toThrow(value);
    const malformed = coded("VERBENA_IB_MALFORMED");
    expect(() => Gid.read(Buffer.alloc(15))).toThrow(malformed);
    expect(() => Gid.read(Buffer.alloc(32), -1)).toThrow(malformed);
    expect(() => Gid.read(Buffer.alloc(32), 0.5)).toThrow(malformed);
    expect(() => Gid.write(Buffer.alloc(16), 1, Gid.zero)).toThrow(malformed);
  });
});
