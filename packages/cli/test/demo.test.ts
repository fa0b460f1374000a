import { ReadyChild } from "../src/process/child.js";
import { ask, run } from "./support/run.js";

const TIMEOUT_MS = 120_000;

describe("demo", () => {
  it(
    "shows five paths, a route and the counters, and ends with 0",
    async () => {
      const { status, out, err } = await run(["demo"]);
      expect(err).toBe("");
      expect(status).toBe(0);
      const rows = out.split("\n").map((line) => line.trim().split(/\s{2,}/));
      expect(rows).toEqual(
        expect.arrayContaining([
          ["name", "node8", "fe80::2:c903:10:71", "11", "1", "0xffff", "0", "4096", "100 Gb/s"],
          ["IPv4", "192.0.2.7", "fe80::2:c903:10:61", "10", "1", "0xffff", "0", "4096", "100 Gb/s"],
          ["IPv6", "2001:db8::6", "fe80::2:c903:10:51", "9", "1", "0xffff", "0", "4096", "100 Gb/s"],
          ["GID", "fe80::2:c903:10:41", "fe80::2:c903:10:41", "8", "1", "0xffff", "0", "4096", "100 Gb/s"],
          ["LID", "6", "fe80::2:c903:10:21", "6", "1", "0xffff", "0", "4096", "100 Gb/s"],
          ["name", "node1", "fe80::2:c903:10:1", "1", "11", "0xffff", "0", "4096", "100 Gb/s"],
          ["resolve requests", "5"],
        ]),
      );
      expect(out).toContain("│ node1 ├1───1┤ leaf1 ├5───1┤ spine1 ├2───5┤ leaf2 ├4───1┤ node8 │");
      expect(out).toMatch(/How to go on\n/);
    },
    TIMEOUT_MS,
  );

  it(
    "stays up with --keep until it is told to end",
    async () => {
      let line = "";
      await using child = await ReadyChild.start(["demo", "--keep"], {
        onLine: (text) => {
          if (text.includes("resolve node8 --socket")) line = text;
        },
      });
      const [, socket = ""] = /--socket (\S+)/.exec(line) ?? [];
      expect((await ask(["resolve", "node8", "--socket", socket])).status).toBe(0);
      expect(await child.stop()).toEqual({ code: 0, signal: null });
      expect((await ask(["resolve", "node8", "--socket", socket])).status).toBe(3);
    },
    TIMEOUT_MS,
  );
});
