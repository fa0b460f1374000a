import { execFileSync } from "node:child_process";
import { lstat, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Gid, VerbenaError } from "@verbena/ib";
import { fakeHost } from "../../test/support/fake-host.js";
import { type FakeProviderControl, fakeProvider } from "../../test/support/fake-provider.js";
import { AcmClient } from "../client/acm-client.js";
import { ControlClient } from "../client/control-client.js";
import type { ConfigSources } from "../config/inspect-config.js";
import type { ConfigInput } from "../config/schema.js";
import type { FakeNative } from "../testing/fake-native.js";
import { Daemon } from "./daemon.js";
import type { DaemonOptions } from "./options.js";

let folder: string;
let socket: string;
let native: FakeNative;
let table: FakeProviderControl;
let daemon: Daemon;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbena-daemon-"));
  socket = join(folder, "acm.sock");
  native = fakeHost();
  table = fakeProvider();
  table.names.set("node2", Gid.parse("fe80::10:3"));
});

afterEach(async () => {
  await daemon.stop({ deadlineMs: 100 });
  await rm(folder, { recursive: true, force: true });
});

function makeDaemon(overrides: ConfigInput["daemon"] = { socket }, more: Partial<DaemonOptions> = {}): Daemon {
  daemon = new Daemon({
    native,
    providers: [{ from: { definition: table.definition }, where: "test" }],
    sources: {
      ignoreDefaults: true,
      overrides: {
        providers: [],
        daemon: { logFile: join(folder, "log"), lockFile: join(folder, "pid"), ...overrides },
      },
    },
    ...more,
  });
  return daemon;
}

/** A daemon with a `verbena.yaml` that the test writes. */
async function fromYaml(text: string): Promise<Daemon> {
  await writeFile(join(folder, "verbena.yaml"), text);
  return makeDaemon(undefined, { sources: { config: join(folder, "verbena.yaml") } });
}

const YAML = "daemon: { socket: acm.sock, logFile: log }\nproviders: []\n";

/** Waits for a message in the log: lines are written beside the daemon's work. */
async function logged(message: string, wanted?: string): Promise<void> {
  const isThere = ({ msg, level }: Record<string, unknown>): boolean =>
    msg === message && (wanted === undefined || level === wanted);
  while (!(await logLines()).some(isThere)) await new Promise((resolve) => setImmediate(resolve));
}

async function logLines(): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(folder, "log"), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const source = (): string => (hostname().split(".")[0] ?? "").toLowerCase();

describe("Daemon", () => {
  it("starts, answers on both sockets, says ready, and leaves nothing behind", async () => {
    const ready = await makeDaemon().start();
    expect(ready).toEqual({ listening: [socket], control: `${socket}.ctl` });
    expect(daemon.state).toBe("ready");
    expect((await stat(socket)).mode & 0o777).toBe(0o777);
    const client = await AcmClient.connect({ socketPath: socket });
    const { path } = await client.resolve({ source: source(), destination: "node2" });
    expect(path).toMatchObject({ dlid: 7, slid: 4, dgid: Gid.parse("fe80::10:3"), sgid: Gid.parse("fe80::10:1") });
    await client.close();
    await using control = new ControlClient({ path: `${socket}.ctl` });
    expect(await control.status()).toMatchObject({
      state: "ready",
      listening: [socket],
      endpoints: { ready: 1, joining: 0, failed: 0 },
      providers: ["table"],
      chains: { address: ["table"], route: ["table"] },
    });
    expect((await control.resolve({ destination: "node2" })).paths[0]).toMatchObject({ dlid: 7 });
    await daemon.stop();
    expect((await readdir(folder)).sort()).toEqual(["log"]);
    expect((await logLines()).map(({ msg }) => msg)).toEqual(["ready", "stopping", "stopped"]);
    expect([table.made, table.disposed]).toEqual([1, 1]);
  });

  it("goes on without what it may not use, and names each function it lost, once, with the remedy", async () => {
    const denied = new VerbenaError("VERBENA_NATIVE_OPEN", "cannot open umad port sim0/1: permission denied", {
      hint: "Needs root or access to /dev/infiniband/umad*.",
    });
    native.umad.openPort = () => {
      throw denied;
    };
    native.openAddressSource = () => {
      throw new Error("no netlink here");
    };
    await makeDaemon().start();
    const sa = {
      function: "the subnet administrator of fake0/1: names and paths",
      reason: denied.message,
      remedy: denied.hint,
    };
    const addresses = { function: "IP addresses of this host", reason: "no netlink here" };
    await using control = new ControlClient({ path: `${socket}.ctl` });
    expect((await control.status()).degraded).toEqual([addresses, sa]);
    await logged("ready");
    const lost = (await logLines()).filter(({ msg }) => String(msg).startsWith("function lost"));
    expect(lost).toMatchObject([
      { level: "warn", msg: `function lost: ${addresses.function}`, reason: addresses.reason },
      { level: "warn", msg: `function lost: ${sa.function}`, reason: sa.reason, remedy: sa.remedy },
    ]);
    expect((await control.resolve({ destination: "node2" })).paths[0]).toMatchObject({ dlid: 7 });
  });

  it("writes the names of server_mode unix and takes them back", async () => {
    const ready = await makeDaemon({ runDirectory: folder }).start();
    expect(ready.listening).toEqual([join(folder, "ibacm-unix.sock")]);
    expect(await readlink(join(folder, "ibacm.sock"))).toBe("ibacm-unix.sock");
    await daemon.stop();
    await expect(lstat(join(folder, "ibacm.sock"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("writes the port file of server_mode loop", async () => {
    const { listening } = await makeDaemon({ runDirectory: folder, serverMode: "loop", serverPort: 46_125 }).start();
    expect(listening).toEqual(["127.0.0.1:46125"]);
    expect(await readFile(join(folder, "ibacm-tcp.port"), "utf8")).toBe("46125\n");
    expect(await readlink(join(folder, "ibacm.port"))).toBe("ibacm-tcp.port");
  });

  it("refuses to start while another daemon holds the lock", async () => {
    const held = { ...native.process, tryLockFile: () => undefined };
    await expect(
      makeDaemon({ socket }, { native: Object.assign(native, { process: held }) }).start(),
    ).rejects.toMatchObject({ code: "VERBENA_DAEMON_LOCKED", message: expect.stringContaining("pid") as string });
    await expect(stat(socket)).rejects.toMatchObject({ code: "ENOENT" });
    expect(daemon.state).toBe("stopped");
  });

  it("refuses one path for both sockets", async () => {
    await expect(makeDaemon({ socket, control: socket }).start()).rejects.toMatchObject({
      code: "VERBENA_SERVER_LISTEN",
    });
    await expect(lstat(socket)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("cleans up when a later step of the start fails", async () => {
    await writeFile(socket, "not a socket");
    await expect(makeDaemon().start()).rejects.toMatchObject({ code: "VERBENA_SERVER_PATH" });
    expect([table.made, table.disposed]).toEqual([1, 1]);
    expect(await readFile(socket, "utf8")).toBe("not a socket");
  });

  it("sets libibumad's debug level", async () => {
    await makeDaemon({ socket, umadDebugLevel: 2 }).start();
    expect(native.umad.debugLevel).toBe(2);
  });

  it("refuses a second start, and a reload before ready", async () => {
    makeDaemon();
    await expect(daemon.reload()).rejects.toMatchObject({ code: "VERBENA_DAEMON_STATE" });
    await daemon.start();
    await expect(daemon.start()).rejects.toMatchObject({ code: "VERBENA_DAEMON_STATE" });
  });

  it("stops twice, and during start", async () => {
    const started = makeDaemon().start();
    await Promise.all([daemon.stop(), daemon.stop(), started]);
    expect(daemon.state).toBe("stopped");
    await expect(stat(socket)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("gives a request in work its reply before it stops", async () => {
    await makeDaemon().start();
    let open: () => void = () => undefined;
    table.gate = new Promise((resolve) => {
      open = resolve;
    });
    const client = await AcmClient.connect({ socketPath: socket });
    const pending = client.resolve({ source: source(), destination: "node2" });
    const asked = new Promise<void>((resolve) => {
      const push = table.asked.push.bind(table.asked);
      table.asked.push = (...items) => {
        resolve();
        return push(...items);
      };
    });
    await asked;
    const stopped = daemon.stop({ deadlineMs: 5000 });
    open();
    expect((await pending).path).toMatchObject({ dlid: 7 });
    await stopped;
  });

  it("cuts off what is not done at the deadline", async () => {
    await makeDaemon().start();
    table.gate = new Promise(() => undefined);
    await using control = new ControlClient({ path: `${socket}.ctl` });
    const pending = control.resolve({ destination: "node9" });
    const outcome = pending.catch((error: unknown) => error);
    await daemon.stop({ deadlineMs: 20 });
    expect(await outcome).toMatchObject({ code: expect.stringMatching(/^VERBENA_(RESOLVE|CLIENT)_/) as string });
  });

  it("writes the default address file where one was expected, and only the first time", async () => {
    const addresses = join(folder, "conf", "addr.cfg");
    const sources = (): ConfigSources => ({
      ignoreDefaults: true,
      addresses,
      overrides: { providers: [], daemon: { socket, logFile: join(folder, "log") } },
    });
    await makeDaemon(undefined, { sources: sources() }).start();
    const host = hostname().split(".")[0] ?? "";
    expect(
      (await readFile(addresses, "utf8")).split("\n").filter((line) => line !== "" && !line.startsWith("#")),
    ).toEqual([`${host} fake0 1 default`, `${host}-1 fake0 1 default`]);
    expect(daemon.engine.endpoints()[0]?.addresses).toEqual([host, `${host}-1`]);
  });

  it("keeps the default names in memory where the file cannot be written", async () => {
    const file = join(folder, "occupied");
    await writeFile(file, "");
    await makeDaemon(undefined, {
      sources: {
        ignoreDefaults: true,
        addresses: join(file, "addr.cfg"),
        overrides: { providers: [], daemon: { socket, logFile: join(folder, "log") } },
      },
    })
      .start()
      .catch((error: unknown) => error);
    expect(daemon.state).toBe("stopped");
  });

  it("tells systemd, and takes the socket it hands over", async () => {
    const told: string[] = [];
    Object.assign(native, {
      process: { ...native.process, passedDescriptors: () => [], notify: (state: string) => told.push(state) > 0 },
    });
    await makeDaemon({ runDirectory: folder, serverMode: "open" }, { systemd: true }).start();
    expect(told).toEqual(["READY=1"]);
    await daemon.reload();
    await daemon.stop();
    expect(told).toEqual(["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"]);
  });
});

describe("Daemon.reload", () => {
  it("refuses a FIFO in place of a file at once, runs on, and stops when told", async () => {
    await writeFile(join(folder, "opts.cfg"), "");
    await (await fromYaml(`${YAML}files: { options: opts.cfg }\n`)).start();
    await rm(join(folder, "opts.cfg"));
    execFileSync("mkfifo", [join(folder, "opts.cfg")]);
    await expect(daemon.reload()).rejects.toMatchObject({
      code: "VERBENA_CONFIG_INVALID",
      message: expect.stringContaining("opts.cfg is a FIFO, not a regular file [VERBENA_FILE_KIND]") as string,
    });
    expect(daemon.state).toBe("ready");
  });

  it("ends with a coded error when the daemon stops while it reads", async () => {
    await (await fromYaml(YAML)).start();
    const outcome = daemon.reload().catch((error: unknown) => error);
    // The reload has begun to read.
    await Promise.resolve();
    await daemon.stop();
    expect(await outcome).toMatchObject({ code: "VERBENA_DAEMON_STATE" });
    expect(daemon.state).toBe("stopped");
  });

  it("keeps the running configuration when the files have errors", async () => {
    await (await fromYaml(YAML)).start();
    const client = await AcmClient.connect({ socketPath: socket });
    await writeFile(join(folder, "verbena.yaml"), "daemon: { sockt: x }\nsa: { retries: -1 }\n");
    await expect(daemon.reload()).rejects.toMatchObject({
      code: "VERBENA_CONFIG_INVALID",
      message: expect.stringMatching(
        /verbena\.yaml:1: daemon\.sockt: unknown key \(did you mean socket\?\)\n.*:2: sa\.retries/,
      ) as string,
    });
    expect(daemon.state).toBe("ready");
    expect((await client.resolve({ source: source(), destination: "node2" })).path).toMatchObject({ dlid: 7 });
    await client.close();
    expect(daemon.config.sa.retries).toBe(2);
    await logged("reload failed, the running configuration stays", "error");
  });

  it("puts a new engine in place without closing a connection, and forgets what the old one knew", async () => {
    await (await fromYaml(YAML)).start();
    const client = await AcmClient.connect({ socketPath: socket });
    const ask = () => client.resolve({ source: source(), destination: "node2" });
    expect((await ask()).path.dgid).toBe(Gid.parse("fe80::10:3"));
    table.names.set("node2", Gid.parse("fe80::10:5"));
    expect((await ask()).path.dgid).toBe(Gid.parse("fe80::10:3"));
    await writeFile(join(folder, "verbena.yaml"), `${YAML}sa: { retries: 5 }\n`);
    expect(await daemon.reload()).toEqual({ applied: ["sa", "resolver"], needRestart: [], warnings: [] });
    expect((await ask()).path.dgid).toBe(Gid.parse("fe80::10:5"));
    expect([table.made, table.disposed]).toEqual([2, 1]);
    expect(daemon.status()).toMatchObject({ reloads: 1, state: "ready" });
    await client.close();
  });

  it("goes on counting with the next engine: requests, lookups, clients and what was asked of the SA", async () => {
    await (await fromYaml(YAML)).start();
    await using control = new ControlClient({ path: `${socket}.ctl` });
    const client = await AcmClient.connect({ socketPath: socket });
    for (const destination of ["node2", "node2", "nobody"]) {
      await client.resolve({ source: source(), destination }).catch(() => undefined);
    }
    const [before, clients] = [await control.stats(), await control.clients()];
    expect(before.counters).toMatchObject({ resolve: 3, noData: 1, addressQuery: 2, routeCache: 1 });
    expect(clients.clients).toMatchObject([{ kind: "unix", requests: 3, errors: 1 }]);
    expect(before.sa?.[0]?.sent).toBeGreaterThan(0);
    await writeFile(join(folder, "verbena.yaml"), `${YAML}sa: { retries: 5 }\n`);
    await daemon.reload();
    const after = await control.stats();
    expect(after.counters).toEqual(before.counters);
    expect(after.endpoints[0]?.counters).toEqual(before.endpoints[0]?.counters);
    expect(after.sa?.[0]?.sent).toBeGreaterThanOrEqual(before.sa?.[0]?.sent ?? 0);
    await client.resolve({ source: source(), destination: "node2" });
    expect((await control.stats()).counters).toMatchObject({ resolve: 4, noData: 1, addressQuery: 3 });
    expect((await control.clients()).clients).toMatchObject([{ kind: "unix", requests: 4, errors: 1 }]);
    await client.close();
  });

  it("keeps the running engine when the new one cannot start", async () => {
    await (await fromYaml(YAML)).start();
    await writeFile(
      join(folder, "verbena.yaml"),
      "daemon: { socket: acm.sock, logFile: log }\nproviders:\n  - package: ./nowhere\n",
    );
    await expect(daemon.reload()).rejects.toMatchObject({ code: "VERBENA_PROVIDER_NOT_FOUND" });
    const client = await AcmClient.connect({ socketPath: socket });
    expect((await client.resolve({ source: source(), destination: "node2" })).path).toMatchObject({ dlid: 7 });
    await client.close();
    expect([table.made, table.disposed]).toEqual([1, 0]);
  });

  it("takes over the log level at once and names what waits for the next start", async () => {
    await (await fromYaml(YAML)).start();
    await writeFile(
      join(folder, "verbena.yaml"),
      "daemon: { socket: other.sock, logFile: log, logLevel: 2 }\nproviders: []\n",
    );
    expect(await daemon.reload()).toEqual({
      applied: ["daemon.logLevel"],
      needRestart: ["daemon.socket", "daemon.lockFile"],
      warnings: [],
    });
  });

  it("takes new lines of the address file into the running engine", async () => {
    await writeFile(join(folder, "addr.cfg"), "one fake0 1 default\n");
    await (await fromYaml(`${YAML}files: { addresses: addr.cfg }\n`)).start();
    expect(daemon.engine.endpoints()[0]?.addresses).toEqual(["one"]);
    await writeFile(join(folder, "addr.cfg"), "one fake0 1 default\ntwo fake0 1 default\n");
    expect(await daemon.reload()).toMatchObject({ applied: ["addresses"] });
    expect(daemon.engine.endpoints()[0]?.addresses).toEqual(["one", "two"]);
    expect(table.made).toBe(1);
  });

  it("reads the hosts file again", async () => {
    await writeFile(join(folder, "hosts"), "node9 fe80::10:9\n");
    await (await fromYaml(`${YAML}files: { hosts: hosts }\n`)).start();
    const client = await AcmClient.connect({ socketPath: socket });
    const ask = () => client.resolve({ source: source(), destination: "node9" });
    expect((await ask()).path.dgid).toBe(Gid.parse("fe80::10:9"));
    await writeFile(join(folder, "hosts"), "node9 fe80::10:a\n");
    expect(await daemon.reload()).toMatchObject({ applied: ["preload"] });
    expect((await ask()).path.dgid).toBe(Gid.parse("fe80::10:a"));
    expect(await daemon.reload()).toMatchObject({ applied: [] });
    expect(table.made).toBe(2);
    await client.close();
  });
});
