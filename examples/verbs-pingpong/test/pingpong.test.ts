import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { libfabricsimPath, type RunningFabric, startFabricThread, twoLevel } from "@verbena/fabric-sim";

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

/** A program on a node; what it prints. */
class End {
  readonly child: ChildProcess;
  readonly ended: Promise<readonly [status: number, out: string, err: string]>;

  constructor(node: string, program: string, words: readonly string[]) {
    const env = {
      ...process.env,
      FABRICSIM_DIR: fabric.dir,
      FABRICSIM_NODE: node,
      VERBENA_LIBIBVERBS: libfabricsimPath(),
    };
    const line = [join(__dirname, "..", program), ...words];
    this.child = spawn(process.execPath, line, { env, stdio: ["ignore", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    this.ended = once(this.child, "close").then(([status]) => [Number(status ?? -1), out, err] as const);
  }
}

/** A TCP port that is free now. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return String(port);
}

test.each([
  ["rc.js", "-e -s 100", 200_000],
  ["uc.js", "-e -s 5000 -m 2048", 10_000_000],
  ["ud.js", "-e -g 0 -s 7", 14_000],
  ["srq.js", "-e -q 3 -r 5", 8_192_000],
])(
  "%s %s: a thousand messages to and fro between two nodes",
  async (program, options, bytes) => {
    const words = ["-p", await freePort(), ...options.split(" ")];
    const server = new End("H1", program, words);
    try {
      // It listens before it prints its addresses.
      await once(server.child.stdout!, "data");
      const client = new End("H2", program, [...words, "localhost"]);
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
  const [status, out, err] = await new End("H1", "srq.js", words).ended;
  expect([status, out]).toEqual([1, ""]);
  expect(err).toContain(reason);
  expect(err).toContain("Usage: node srq.js [options]          start a server and wait for a client");
  expect(err).toContain("-q, --num-qp=N      queue pairs (default 16)");
});
