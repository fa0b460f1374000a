import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningFabric, startFabricThread, twoLevel } from "@verbena/fabric-sim";
import { freePort, NodeProgram } from "../../test-support/node-program.js";

const TIMEOUT_MS = 90_000;

let dir: string;
let fabric: RunningFabric;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "verbena-pingpong-"));
  fabric = await startFabricThread({ topology: twoLevel({ hosts: 2 }), dir: join(dir, "fabric") });
});
afterAll(async () => {
  await fabric.close();
  rmSync(dir, { recursive: true });
});

/** A program of this example on a node. */
const on = (node: string, ...words: readonly string[]) => new NodeProgram(fabric, node, join(__dirname, ".."), words);

test.each([
  ["rc.js", "-e -s 100", 200_000],
  ["uc.js", "-e -s 5000 -m 2048", 10_000_000],
  ["ud.js", "-e -g 0 -s 7", 14_000],
  ["srq.js", "-e -q 3 -r 5", 8_192_000],
])(
  "%s %s: a thousand messages to and fro between two nodes",
  async (program, options, bytes) => {
    const words = ["-p", await freePort(), ...options.split(" ")];
    const server = on("H1", program, ...words);
    try {
      // It listens before it prints its addresses.
      await once(server.child.stdout!, "data");
      const client = on("H2", program, ...words, "localhost");
      for (const [status, out, err] of [await client.ended, await server.ended]) {
        expect({ status, err }).toEqual({ status: 0, err: "" });
        expect(out).toMatch(new RegExp(`^${bytes} bytes in \\d+\\.\\d\\d seconds = `, "m"));
        expect(out).toMatch(/^1000 iters in \d+\.\d\d seconds = /m);
      }
    } finally {
      server.child.kill();
    }
  },
  TIMEOUT_MS,
);

test.each([
  [["-s", "many"], "--size is a whole number, 1 to 1073741824"],
  [["-m", "300"], "--mtu is 256, 512, 1024, 2048 or 4096"],
  [["-x"], "Unknown option '-x'"],
  [["a", "b"], "one host at most"],
  [["-r", "15"], "--rx-depth must be one receive for each queue pair at least"],
])("%j is refused with how to call it", async (words, reason) => {
  const [status, out, err] = await on("H1", "srq.js", ...words).ended;
  expect([status, out]).toEqual([1, ""]);
  expect(err).toContain(reason);
  expect(err).toContain("Usage: node srq.js [options]          start a server and wait for a client");
  expect(err).toContain("-q, --num-qp=N      queue pairs (default 16)");
});
