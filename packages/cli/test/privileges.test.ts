/** A daemon of a user who may not use the fabric: it runs, and names what it has lost. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { Cluster } from "./support/cluster.js";
import { ask, programPath } from "./support/run.js";

const TIMEOUT_MS = 120_000;
const AS_NOBODY = ["--reuid", "65534", "--clear-groups", "--"];

/** Only root can take rights away, and nobody must be able to read the program. */
const canBeNobody =
  spawnSync("setpriv", [...AS_NOBODY, "test", "-x", process.execPath, "-a", "-r", programPath()]).status === 0;

(canBeNobody ? describe : describe.skip)(
  "without privileges (needs root, setpriv, and a clone that all may read)",
  () => {
    it(
      "serve runs, and names each function it has lost",
      async () => {
        await using cluster = await Cluster.start({ hosts: 2 });
        chmodSync(cluster.dir, 0o777);
        const socket = cluster.path("nobody.sock");
        const words = ["serve", "--fabric", cluster.fabric, "--node", "H1", "--socket", socket];
        const daemon = spawn("setpriv", [...AS_NOBODY, process.execPath, programPath(), ...words]);
        let log = "";
        daemon.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
        try {
          await once(daemon.stdout, "data");
          const { out } = await ask(["endpoints", "--json", "--socket", socket]);
          const lost = [
            "changes of ports as they happen (libibverbs)",
            "ports and their subnet administrators (libibumad)",
          ];
          const degraded = lost.map((text) => ({
            function: expect.stringContaining(text) as string,
            reason: expect.stringContaining("Permission denied") as string,
            remedy: expect.stringContaining("be the user who runs it") as string,
          }));
          expect(JSON.parse(out)).toEqual({ endpoints: [], degraded });
        } finally {
          daemon.kill();
          await once(daemon, "close");
        }
        const said = log.split("\n").filter((line) => line.includes('"function lost: '));
        expect(said).toEqual([
          expect.stringContaining("be the user who runs it"),
          expect.stringContaining("be the user who runs it"),
        ]);
      },
      TIMEOUT_MS,
    );
  },
);
