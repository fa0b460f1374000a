import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusePathInUse } from "./refuse-path-in-use.js";

describe("refusePathInUse", () => {
  let dir = "";
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "in-use-"));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  it("refuses a path at which a process listens, and takes one whose process has ended", async () => {
    const path = join(dir, "s");
    const server = createServer().listen(`${path}.first`);
    await once(server, "listening");
    // Moved, so that its socket stays behind as that of a killed process does.
    renameSync(`${path}.first`, path);
    await expect(refusePathInUse(path)).rejects.toMatchObject({
      code: "VERBENA_SERVER_LISTEN",
      message: `cannot listen on ${path}: another process listens there`,
      errno: 98,
    });
    server.close();
    await once(server, "close");
    await expect(refusePathInUse(path)).resolves.toBeUndefined();
  });

  it("has nothing against a path where nothing is", async () => {
    await expect(refusePathInUse(join(dir, "none"))).resolves.toBeUndefined();
  });
});
