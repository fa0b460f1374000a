import fc from "fast-check";
import { DumpLineReader, HeaderFinder } from "./dump-line.js";

/** What the lines of the format are, as expressions. */
const HEADER =
  /^\s*(?:(?:Switch|Router)\S*|Channel\S*\s+\S+)\s+(?:0x)?([0-9a-f]{1,16})\s*,\s*base LID.\s*(0x[0-9a-f]+|\d+)\s*(?:,|$)/i;
const DATA = /^\s*(0x[0-9a-f]+|\d+)\s*:\s*(\d+)\s*:\s*(\d+)\s*:\s*(\d+)/i;
const UNREACHABLE = /^\s*(?:0x[0-9a-f]+|\d+)\s*:\s*UNREACHABLE/i;
const isUnicast = (lid: number): boolean => lid >= 1 && lid <= 0xbfff;

function expectedHeader(line: string) {
  const match = HEADER.exec(line);
  const lid = Number(match?.[2]);
  return match === null || !isUnicast(lid) ? undefined : { guid: BigInt(`0x${match[1] ?? ""}`), lid };
}

function expectedLine(line: string) {
  const first = line.trimStart()[0];
  if (first === undefined || first === "#") return "nothing";
  if ("SCRU".includes(first)) return "header";
  const match = DATA.exec(line);
  if (match === null) return UNREACHABLE.test(line) ? "unreachable" : "unreadable";
  const [lid, sl, mtu, rate] = match.slice(1).map(Number) as [number, number, number, number];
  return isUnicast(lid) && sl <= 15 && mtu <= 63 && rate <= 63 ? { lid, sl, mtu, rate } : "unreadable";
}

/** The line within other bytes, so that reading past its ends would show. */
function read(line: string) {
  const buffer = Buffer.from(`1${line}1`, "latin1");
  const reader = new DumpLineReader();
  const header = reader.readHeader(buffer, 1, buffer.length - 1)
    ? { guid: (BigInt(reader.guidHigh) << 32n) | BigInt(reader.guidLow), lid: reader.lid }
    : undefined;
  const what = reader.read(buffer, 1, buffer.length - 1);
  const { lid, sl, mtu, rate } = reader;
  return { header, line: what === "path" ? { lid, sl, mtu, rate } : what };
}

const blank = fc.constantFrom("", " ", "  ", "\t", "\r");
const number = fc.oneof(
  fc.nat(70).map(String),
  fc.constantFrom("0xbfff", "49151", "49152", "0xC000", "0x", "0X1f", "99999999999999999999", "00001", "-1", "1f"),
);
const spaced = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts.flatMap((part) => [blank, part])).map((words) => words.join(""));
const header = spaced(
  fc.constantFrom("Switch ", "Channel Adapter ", "Channel ", "Router ", "UNKNOWN ", "Sw ", "Switchy ", "1 "),
  fc.constantFrom("0x", "0X", "", "x"),
  fc.constantFrom("100001", "0002c90300100001", "ffffffffffffffff", "00002c90300100001", "", "g"),
  fc.constantFrom(",", ""),
  fc.constantFrom("base LID ", "base LID. ", "BASE lid: ", "base"),
  number,
  fc.constantFrom(', "host", port 1', "", ",", " x"),
);
const data = spaced(number, fc.constant(":"), number, fc.constantFrom(":", ""), number, fc.constant(":"), number);
const unreachable = spaced(number, fc.constantFrom(":", ""), fc.constantFrom("UNREACHABLE", "unreachable", "UNREACH"));
const line = fc.oneof(
  data,
  unreachable,
  header,
  // Blanks beyond these are of no dump.
  fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[\n\u00a0\ufeff]/g, "")),
);

describe("DumpLineReader", () => {
  it("reads data lines as the format's expression does", () => {
    fc.assert(
      fc.property(line, (text) => {
        expect(read(text).line).toEqual(expectedLine(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads headers as the format's expression does", () => {
    fc.assert(
      fc.property(fc.oneof(header, line), (text) => {
        expect(read(text).header).toEqual(expectedHeader(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("HeaderFinder", () => {
  it("finds every line whose first letter is a header's, and no other", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), (lines, hasEnd) => {
        const text = lines.join("\n") + (hasEnd ? "\n" : "");
        const buffer = Buffer.from(text, "latin1");
        const finder = new HeaderFinder(buffer, 0, buffer.length);
        const found: string[] = [];
        while (finder.next()) found.push(buffer.toString("latin1", finder.start, finder.stop));
        const expected = text.split("\n").filter((each) => expectedLine(each) === "header");
        expect(found).toEqual(expected.map((each) => Buffer.from(each, "latin1").toString("latin1")));
      }),
    );
  });
});
