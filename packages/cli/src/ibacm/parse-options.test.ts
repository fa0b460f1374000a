import { parseIbacm } from "./parse-options.js";

const plain = { foreground: false, systemd: false };

describe("parseIbacm", () => {
  it.each([
    ["", plain],
    ["-D", plain],
    ["-P", { ...plain, foreground: true }],
    ["-P -D", plain],
    ["-A a -O b", { ...plain, addresses: "a", options: "b" }],
    ["-Aa -PO b", { foreground: true, systemd: false, addresses: "a", options: "b" }],
    ["-A one -A two", { ...plain, addresses: "two" }],
    ["-A -P", { ...plain, addresses: "-P" }],
    ["--systemd", { foreground: true, systemd: true }],
    ["--sys -D", { foreground: true, systemd: true }],
    ["word -P", { ...plain, foreground: true }],
    ["-- -x", plain],
  ])("%j", (line, options) => {
    expect(parseIbacm(line === "" ? [] : line.split(" "))).toEqual({ options });
  });

  it.each([
    ["-x", "invalid option -- 'x'"],
    ["-Px", "invalid option -- 'x'"],
    ["-A", "option requires an argument -- 'A'"],
    ["--foreground", "unrecognized option '--foreground'"],
  ])("refuses %s", (line, complaint) => {
    expect(parseIbacm(line.split(" "))).toEqual({ complaint });
  });
});
