/** The life of the daemon as a process: signals, background, configuration, the `ibacm` face. */
import { spawn } from "node:child_process";
import { on, once } from "node:events";
import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { runFace } from "../src/face.js";
import { runIbacm } from "../src/ibacm/run-ibacm.js";
import type { Io } from "../src/io.js";
import { ReadyChild } from "../src/process/child.js";
import { Cluster } from "./support/cluster.js";
import { ask, programPath, run } from "./support/run.js";

const TIMEOUT_MS = 60_000;

describe("serve", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start({ hosts: 4, addresses: ["H1 192.0.2.1/24"] });
  }, TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  const names = async (socket: string): Promise<readonly string[]> => {
    const { out } = await ask(["endpoints", "--json", "--socket", socket]);
    const { endpoints } = JSON.parse(out) as { endpoints: { addresses: string[] }[] };
    return endpoints.flatMap(({ addresses }) => addresses);
  };

  it(
    "reads its files again on SIGHUP, keeps what it has if they are wrong, and ends with 0 on SIGTERM",
    async () => {
      const options = cluster.write("reload.cfg", "timeout 1000\n");
      await using daemon = await cluster.serve("H1", ["-O", options], { names: ["first"] });
      expect(await names(daemon.socket)).toEqual(expect.arrayContaining(["first", "192.0.2.1/24"]));
      const changes = daemon.control.watch();
      expect((await changes.next()).value).toMatchObject({ type: "watching" });

      cluster.write("H1.names", "second sim0 1 default\n");
      daemon.child.kill("SIGHUP");
      // A name comes or goes: the change feed says so.
      await changes.next();
      await changes.return(undefined);
      expect(await names(daemon.socket)).toContain("second");

      writeFileSync(options, "timeout 0\n");
      daemon.child.kill("SIGHUP");
      await daemon.logged(/reload failed/);
      expect((await ask(["resolve", "node2", "--socket", daemon.socket])).status).toBe(0);

      expect(await daemon.child.stop()).toEqual({ code: 0, signal: null });
      expect((await ask(["resolve", "node2", "--socket", daemon.socket])).status).toBe(3);
    },
    TIMEOUT_MS,
  );

  it(
    "says so when it has no descriptors for more clients, and serves those it has",
    async () => {
      const socket = cluster.path("few.sock");
      const words = ["serve", "--fabric", cluster.fabric, "--node", "H1", "--socket", socket].join(" ");
      const daemon = spawn("bash", ["-c", `ulimit -n 120; exec "${process.execPath}" "${programPath()}" ${words}`]);
      const clients: Socket[] = [];
      try {
        await once(daemon.stdout, "data");
        const told = new Promise<string>((resolve) => {
          createInterface(daemon.stderr).on("line", (line) => {
            if (line.includes("no more clients are taken")) resolve(line);
          });
        });
        for (let count = 0; count < 100; count += 1) {
          clients.push(createConnection(socket).on("error", () => undefined));
        }
        expect(await told).toContain('"clients":60');
        expect((await ask(["resolve", "node2", "--socket", socket])).status).toBe(0);
      } finally {
        for (const client of clients) client.destroy();
        daemon.kill();
        await once(daemon, "exit");
      }
    },
    TIMEOUT_MS,
  );

  it(
    "says so when others have taken the descriptors of its clients",
    async () => {
      const socket = cluster.path("none.sock");
      const words = ["serve", "--fabric", cluster.fabric, "--node", "H1", "--socket", socket].join(" ");
      const daemon = spawn("bash", ["-c", `ulimit -n 120; exec "${process.execPath}" "${programPath()}" ${words}`]);
      const clients: Socket[] = [];
      const connect = (path: string): void => {
        clients.push(createConnection(path).on("error", () => undefined));
      };
      try {
        await once(daemon.stdout, "data");
        const lines = createInterface(daemon.stderr);
        const told = async (text: string): Promise<string> => {
          for await (const [line] of on(lines, "line") as AsyncIterable<[string]>) if (line.includes(text)) return line;
          throw new Error("the log has ended");
        };
        const full = told("control connections are refused: the process's limit on open files is reached");
        for (let count = 0; count < 120; count += 1) connect(`${socket}.ctl`);
        expect(await full).toContain('"limit":120');
        const none = told("\"connections are refused: the process's limit on open files is reached");
        connect(socket);
        expect(await none).toContain('"clients":0');
      } finally {
        for (const client of clients) client.destroy();
        daemon.kill();
        await once(daemon, "exit");
      }
    },
    TIMEOUT_MS,
  );

  it(
    "refuses a node that the fabric does not have",
    async () => {
      const socket = cluster.path("H9.sock");
      const { status, out } = await run([
        ...["serve", "--fabric", cluster.fabric, "--node", "H9", "--socket", socket, "--json"],
      ]);
      expect(status).toBe(2);
      expect(JSON.parse(out)).toMatchObject({ error: { code: "VERBENA_CLI_USAGE_NODE" } });
    },
    TIMEOUT_MS,
  );

  it(
    "ends at once on a second signal, though somebody still waits for an answer",
    async () => {
      await using daemon = await cluster.serve("H1");
      await daemon.control.resolve({ destination: "node2" });
      await cluster.sim.request({ op: "sa", mode: "silent" });
      const waiting = ask(["acme", "-S", daemon.socket, "-f", "n", "-s", "H1", "-d", "node3"]);
      await daemon.control.resolve({ destination: "node3", deadlineMs: 1 }).catch(() => undefined);
      daemon.child.kill("SIGTERM");
      await daemon.logged(/"msg":"stopping"/);
      daemon.child.kill("SIGTERM");
      expect(await daemon.child.ended).toEqual({ code: null, signal: "SIGTERM" });
      expect((await waiting).status).not.toBe(0);
      await cluster.sim.request({ op: "sa", mode: "normal" });
    },
    TIMEOUT_MS,
  );

  it(
    "names every wrong line and ends with 2, also when asked to go to the background",
    async () => {
      const options = cluster.write("bad.cfg", "timeout 0\nretries 2\nsa_depth none\n");
      const yaml = cluster.write("bad.yaml", "daemon:\n  sokcet: /tmp/x\n");
      const words = ["serve", "--fabric", cluster.fabric, "--node", "H2", "--socket", cluster.path("bad.sock")];
      for (const mode of [["-P"], ["-D"]]) {
        const { status, out, err } = await run([...words, ...mode, "-O", options, "--config", yaml]);
        expect(err).toMatch(new RegExp(`^${options}:1: .*timeout`, "m"));
        expect(err).toMatch(new RegExp(`^${options}:3: .*sa_depth`, "m"));
        expect(err).toMatch(new RegExp(`^${yaml}:2: .*sokcet.*socket`, "m"));
        expect(out).toBe("");
        expect(status).toBe(2);
      }
    },
    TIMEOUT_MS,
  );

  it(
    "as a simulated node leaves the files of this host alone",
    async () => {
      const socket = cluster.path("alone.sock");
      const said: string[] = [];
      await using child = await ReadyChild.start(
        ["serve", "--fabric", cluster.fabric, "--node", "H2", "--socket", socket],
        { onErrorLine: (line) => said.push(line) },
      );
      expect((await names(socket)).some((name) => name.endsWith("-1"))).toBe(true);
      await child.stop();
      expect(said.filter((line) => line.includes("/etc/rdma"))).toEqual([]);
      expect(said.some((line) => line.includes('"msg":"ready"'))).toBe(true);
    },
    TIMEOUT_MS,
  );

  it(
    "goes to the background once its socket answers, and refuses a second one",
    async () => {
      const socket = cluster.path("background.sock");
      const words = ["serve", "-D", "--fabric", cluster.fabric, "--node", "H3", "--socket", socket];
      const { status, out } = await run(words);
      expect(status).toBe(0);
      const pid = Number(/^ready .*background\.sock \(process (\d+)\)\n$/.exec(out)?.[1]);
      try {
        expect((await ask(["resolve", "node2", "--socket", socket])).status).toBe(0);
        expect(readFileSync(`${socket}.pid`, "utf8")).toBe(`${pid}\n`);
        const second = await run(words);
        expect(second.err).toContain("[VERBENA_DAEMON_LOCKED]");
        expect(second.status).toBe(1);
      } finally {
        await end(pid, socket);
      }
    },
    TIMEOUT_MS,
  );

  it(
    "is ibacm under that name: the background, relative paths, a default address file, nothing on standard output",
    async () => {
      const { dir } = cluster;
      cluster.write(
        "face.cfg",
        [`log_file ${dir}/face.log`, `lock_file ${dir}/face.pid`, "log_level 2", "colour blue", ""].join("\n"),
      );
      const config = cluster.write("face.yaml", `daemon: { runDirectory: ${dir} }\n`);
      const io = new Captured();
      const from = relative(process.cwd(), dir);
      const words = ["-A", join(from, "face.names"), "-O", join(from, "face.cfg")];
      const status = await runIbacm(words, io, { config, fabric: cluster.fabric, node: "H4" });
      expect([status, io.text]).toEqual([0, ""]);
      const pid = Number(readFileSync(join(dir, "face.pid"), "utf8"));
      const socket = join(dir, "ibacm-unix.sock");
      try {
        expect(readlinkSync(join(dir, "ibacm.sock"))).toBe("ibacm-unix.sock");
        expect(readFileSync(join(dir, "face.names"), "utf8")).toMatch(/^\S+-1 sim0 1 default$/m);
        expect((await ask(["resolve", "node2", "--socket", socket])).status).toBe(0);
        const log = readFileSync(join(dir, "face.log"), "utf8");
        expect(log).toContain("face.cfg:4: ");
        expect(log).toMatch(/"msg":"ready"/);
        await expect(runIbacm(words, io, { config, fabric: cluster.fabric, node: "H4" })).rejects.toMatchObject({
          code: "VERBENA_DAEMON_LOCKED",
        });
      } finally {
        await end(pid, socket);
      }
    },
    TIMEOUT_MS,
  );

  it("shows ibacm's usage on standard output and ends with 1", async () => {
    const io = new Captured();
    expect(await runFace(["node", "/usr/sbin/ibacm", "-x"], io)).toBe(1);
    expect(io.text).toMatch(/^ibacm: invalid option -- 'x'\nusage: ibacm\n/);
  });
});

/** Everything a face writes, in one text. */
class Captured implements Io {
  text = "";
  readonly out = (text: string): void => {
    this.text += text;
  };
  readonly err = this.out;
}

/** Ends a daemon that is not our child: it closes its connections when it goes. */
async function end(pid: number, socket: string): Promise<void> {
  const connection = createConnection(socket);
  await once(connection, "connect");
  process.kill(pid, "SIGTERM");
  connection.resume();
  await once(connection, "close");
}
