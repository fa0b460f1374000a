import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { libfabricsimPath, type RunningFabric, startFabricThread, twoLevel } from "@verbena/fabric-sim";

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

test("a thousand datagrams to and fro, each checked", async () => {
  const env = {
    ...process.env,
    FABRICSIM_DIR: fabric.dir,
    FABRICSIM_NODE: "H1",
    VERBENA_LIBIBVERBS: libfabricsimPath(),
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(__dirname, "../index.js"), "--iterations", "1000"],
    {
      env,
      timeout: 60_000,
    },
  );
  const [bytes, iterations] = stdout.trim().split("\n");
  expect(bytes).toMatch(/^2048000 bytes in \d+\.\d\d seconds = /);
  expect(iterations).toMatch(/^1000 iters in \d+\.\d\d seconds = /);
}, 90_000);
