import { atoi } from "./atoi.js";
import { type AcmeOptions, parseOptions } from "./options.js";

const DEFAULTS: AcmeOptions = {
  verify: false,
  noDelay: false,
  repetitions: 1,
  listsEndpoints: false,
  endpointIndex: 0,
  makesAddresses: false,
  makesOptions: false,
  addressFile: "ibacm_addr.cfg",
  optionsFile: "ibacm_opts.cfg",
  verbose: false,
};

const words = (line: string): readonly string[] => line.split(" ").filter((word) => word !== "");

describe("parseOptions", () => {
  it.each([
    ["-d a", { destination: "a" }],
    ["-da -sb -fip", { destination: "a", source: "b", format: "i" }],
    ["-vcd a", { destination: "a", verify: true, noDelay: true }],
    ["-e", { listsEndpoints: true }],
    ["-e 2", { listsEndpoints: true, endpointIndex: 2 }],
    ["-e2 -P", { listsEndpoints: true, endpointIndex: 2, perf: "row" }],
    ["-e -P 2", { listsEndpoints: true, endpointIndex: 2, perf: "row" }],
    ["-P 3 -e", { listsEndpoints: true, endpointIndex: 3, perf: "row" }],
    ["-P COLUMN", { perf: "column" }],
    ["-P co", { perf: "row" }],
    ["-P ALLx", { perf: "every" }],
    ["-P s -s x", { perf: "address", source: "x" }],
    ["word -P word2 -e 2 word3", { perf: "row", listsEndpoints: true, endpointIndex: 2 }],
    ["-P -- 2", { perf: "row" }],
    ["-P - 2", { perf: "row" }],
    ["-C 0 -P", { perf: "row" }],
    ["-C 2x -P", { perf: "row", repetitions: 2 }],
    ["-C -2 -P", { perf: "row", repetitions: -2 }],
    ["-S /a[1-2] -P", { perf: "row", service: "/a[1-2]" }],
    ["-A -O", { makesAddresses: true, makesOptions: true }],
    [
      "-A a -Ob -D c -V",
      { makesAddresses: true, makesOptions: true, addressFile: "a", optionsFile: "b", directory: "c", verbose: true },
    ],
  ] as const)("%s", (line, options) => {
    expect(parseOptions(words(line))).toEqual({ options: { ...DEFAULTS, ...options } });
  });

  it.each([
    ["", undefined],
    ["-s x", undefined],
    ["-P s", undefined],
    ["-P S -s x", undefined],
    ["-A -s x", undefined],
    ["-f u -d x", undefined],
    ["-f I -d x", undefined],
    ["-", undefined],
    ["-x", "invalid option -- 'x'"],
    ["-e -1", "invalid option -- '1'"],
    ["--help", "invalid option -- '-'"],
    ["-V: -d x", "invalid option -- ':'"],
    ["-d", "option requires an argument -- 'd'"],
  ])("%s asks for the usage", (line, complaint) => {
    expect(parseOptions(words(line))).toEqual(complaint === undefined ? {} : { complaint });
  });

  it("ends at the first word that is no option under POSIXLY_CORRECT", () => {
    expect(parseOptions(words("-P word -e"), true)).toEqual({ options: { ...DEFAULTS, perf: "row" } });
    expect(parseOptions(words("word -P"), true)).toEqual({});
  });
});

describe("atoi", () => {
  it.each([
    ["12", 12],
    [" \t-7x", -7],
    ["+3", 3],
    ["x", 0],
    ["", 0],
    ["4294967297", 1],
    ["99999999999999999999", -1],
    ["-99999999999999999999", 0],
  ])("%j is %i", (text, value) => {
    expect(atoi(text)).toBe(value);
  });
});
