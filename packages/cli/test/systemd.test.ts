/** `serve --systemd`: the socket comes from outside. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { createInterface } from "node:readline";
import { AcmClient } from "@verbena/core/client";
import { Gid, Lid } from "@verbena/ib";
import { programPath } from "../src/process/program-path.js";
import { Cluster } from "./support/cluster.js";

const TIMEOUT_MS = 60_000;

describe("serve --systemd", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start({ hosts: 4 });
  }, TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  it(
    "serves the listening socket that is handed over, and stays in the foreground",
    async () => {
      const listener = createServer();
      listener.listen(0, "127.0.0.1");
      await once(listener, "listening");
      const { port } = listener.address() as AddressInfo;
      const control = cluster.path("systemd.ctl");
      const script = 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&4';
      const words = ["serve", "--systemd", "--fabric", cluster.fabric, "--node", "H3", "--control", control];
      const config = cluster.write(
        "systemd.yaml",
        `daemon: { runDirectory: ${cluster.dir}, logFile: stderr, lockFile: ${cluster.path("systemd.pid")} }\n`,
      );
      const child = spawn("sh", ["-c", script, "sh", process.execPath, programPath(), ...words, "--config", config], {
        stdio: ["ignore", "pipe", "ignore", "ignore", handleOf(listener)],
      });
      const ended = once(child, "close");
      try {
        for await (const line of createInterface({ input: child.stdout! })) {
          expect(line).toBe("ready descriptor 3");
          break;
        }
        // From now on it is the daemon's alone.
        listener.close();
        await using client = await AcmClient.connect({ host: "127.0.0.1", port });
        const { path } = await client.resolvePath({ dlid: Lid.from(cluster.lid("H4")) });
        expect(Gid.format(path.dgid)).toBe(cluster.gid("H4"));
      } finally {
        child.kill("SIGTERM");
      }
      expect(await ended).toEqual([0, null]);
    },
    TIMEOUT_MS,
  );
});

/** The descriptor of a listening server, for a child. */
function handleOf(server: Server): number {
  return (server as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}
