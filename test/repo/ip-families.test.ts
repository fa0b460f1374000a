// What is tested of the multicast protocol over IPv4 is tested over IPv6: the addresses of its tests come from one table of both families.
import { readText, trackedFiles } from "./workspace.js";

const IPV4 = /\b(?:192\.0\.2|198\.51\.100|203\.0\.113)\./g;
const IPV6 = /\b2001:db8:/g;

const files = trackedFiles().filter(
  (path) => path.startsWith("packages/provider-acm/") && path.endsWith(".ts") && !path.includes("/dist/"),
);

const count = (path: string, pattern: RegExp): number => [...readText(path).matchAll(pattern)].length;

it("no file of the multicast provider writes out more IPv4 addresses than IPv6 addresses", () => {
  const behind = files.filter((path) => count(path, IPV6) < count(path, IPV4));
  expect(behind).toEqual([]);
});
