import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VerbenaError } from "@verbena/ib";
import type { ConfigSources } from "./inspect-config.js";
import { loadConfig } from "./load-config.js";
import { formatDiagnostic } from "./text/diagnostic.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbena-config-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function problems(promise: Promise<unknown>): Promise<string[]> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!VerbenaError.is(error, "VERBENA_CONFIG_INVALID")) throw error;
  return error.message.split("\n").map((line) => line.replaceAll(`${folder}/`, ""));
}

describe("loadConfig", () => {
  it("fills in defaults when there is no file: ibacm's, but a path ends after ten minutes", async () => {
    const { config } = await loadConfig({ ignoreDefaults: true });
    expect(config.daemon).toMatchObject({
      serverMode: "unix",
      serverPort: 6125,
      acmePlusKernelOnly: false,
      runDirectory: "/run",
      logFile: "/var/log/ibacm.log",
      logLevel: 0,
      lockFile: "/run/ibacm.pid",
    });
    expect(config.sa).toMatchObject({ timeoutMs: 2000, retries: 2, notices: true });
    expect(config.resolver).toEqual({ loopback: "local", deadlineMs: 3 * (2000 + 1024) });
    expect(config.caches.address.ttlMs).toBe(1440 * 60_000);
    expect(config.caches.route.ttlMs).toBe(600_000);
    expect(config.preload).toEqual({ routeTtlMs: "never" });
    expect(config.chains).toEqual({ address: ["acm", "sa"], route: ["sa"] });
    expect(config.providers.map((entry) => [entry.package, entry.isOptional])).toEqual([
      ["@verbena/provider-acm", true],
      ["@verbena/provider-sa", false],
    ]);
    expect(config.addresses).toEqual({ supportIps: false, isFound: false, lines: [] });
  });

  it("lets a request take as long as its address may be asked for, where peers are asked", async () => {
    const deadline = async (text: string) =>
      (await loadConfig({ config: await file(`deadline-${String(text.length)}.yaml`, text), ignoreDefaults: true }))
        .config.resolver.deadlineMs;
    expect(await deadline("sa: { timeoutMs: 500, retries: 3 }\n")).toBe(4 * 1524);
    expect(await deadline('sa: { retries: 1 }\nproviders: [{ package: "@verbena/provider-acm" }]\n')).toBe(2 * 3024);
    expect(await deadline("chains: { address: [sa], route: [sa] }\n")).toBe(6000);
    expect(await deadline('providers: [{ package: "@verbena/provider-sa" }]\n')).toBe(6000);
    expect(await deadline("resolver: { deadlineMs: 77 }\n")).toBe(77);
  });

  it("says in a note that a missing options file means defaults", async () => {
    const { diagnostics } = await loadConfig({
      options: join(folder, "none.cfg"),
      addresses: join(folder, "none-too.cfg"),
    });
    expect(diagnostics.map(({ severity }) => severity)).toEqual(["note", "note"]);
    expect(diagnostics.map(formatDiagnostic)[0]).toBe(`${folder}/none.cfg: the file is not there; defaults are used`);
  });

  it("turns ibacm's files into the normalised form", async () => {
    const options = await file(
      "opts.cfg",
      [
        "timeout 500",
        "retries 1",
        "sa_depth 4",
        "addr_timeout 10",
        "route_timeout 5",
        "route_prot acm",
        "loopback_prot none",
        "addr_preload acm_hosts",
        "addr_data_file /data/hosts",
        "route_preload full_opensm_v1",
        "support_ips_in_addr_cfg 1",
        "resolve_depth 8",
      ].join("\n"),
    );
    const addresses = await file("addr.cfg", "node1 sim0 1 default\n192.0.2.1 sim0 1 default\n");
    const { config, diagnostics } = await loadConfig({ options, addresses });
    expect(diagnostics).toEqual([]);
    expect(config.sa).toMatchObject({ timeoutMs: 500, retries: 1, depth: 4 });
    expect(config.resolver).toEqual({ loopback: "none", deadlineMs: 2 * (500 + 1024) });
    expect(config.caches.address.ttlMs).toBe(600_000);
    expect(config.caches.route.ttlMs).toBe(300_000);
    expect(config.chains.route).toEqual(["acm", "sa"]);
    expect(config.preload).toEqual({
      hosts: "/data/hosts",
      routeDump: "/etc/rdma/ibacm_route.data",
      routeTtlMs: 300_000,
    });
    expect(config.addresses.lines.map(({ text }) => text)).toEqual(["node1", "192.0.2.1"]);
    expect(config.providers[0]).toMatchObject({
      package: "@verbena/provider-acm",
      options: { resolveDepth: 8, timeoutMs: 500, retries: 1, portGroup: true },
    });
  });

  it("keeps a path for ever where a file says so, as ibacm does, and ten minutes where none does", async () => {
    const routeTtl = async (sources: ConfigSources): Promise<unknown> =>
      (await loadConfig(sources)).config.caches.route.ttlMs;
    const addresses = join(folder, "none.cfg");
    expect(await routeTtl({ options: await file("never.cfg", "route_timeout -1\n"), addresses })).toBe("never");
    expect(await routeTtl({ options: await file("others.cfg", "addr_timeout 5\n"), addresses })).toBe(600_000);
    expect(await routeTtl({ config: await file("never.yaml", "caches: { route: { ttlMs: never } }\n") })).toBe("never");
    expect(await routeTtl({ config: await file("other.yaml", "caches: { route: {} }\n") })).toBe(600_000);
  });

  it("lays verbena.yaml over the options file it names, and the caller's settings over both", async () => {
    await file("opts.cfg", "timeout 500\nretries 7\nlog_level 1\n");
    const config = await file(
      "verbena.yaml",
      "files:\n  options: opts.cfg\nsa:\n  retries: 3\ndaemon:\n  socket: run/acm.sock\n  logLevel: 2\n",
    );
    const loaded = await loadConfig({ config, overrides: { daemon: { logLevel: 0 } } });
    expect(loaded.config.sa).toMatchObject({ timeoutMs: 500, retries: 3 });
    expect(loaded.config.daemon).toMatchObject({
      socket: join(folder, "run/acm.sock"),
      logLevel: 0,
      logFile: "stderr",
      lockFile: join(folder, "run/acm.sock.pid"),
    });
    expect(loaded.config.folder).toBe(folder);
  });

  it("takes providers and chains from verbena.yaml and brings along a built-in one that a chain names", async () => {
    const config = await file(
      "verbena.yaml",
      'chains:\n  route: [static, sa]\nproviders:\n  - package: "./static"\n    options: { file: routes.json }\n',
    );
    const loaded = await loadConfig({ config });
    expect(loaded.config.chains).toEqual({ route: ["static", "sa"] });
    expect(loaded.config.providers).toEqual([
      { package: "./static", options: { file: "routes.json" }, where: `${config}:4`, isOptional: false },
      { package: "@verbena/provider-sa", options: {}, where: "built-in providers", isOptional: false },
    ]);
  });

  it("reports every problem of verbena.yaml with file, line, key and nearest key", async () => {
    const config = await file(
      "verbena.yaml",
      "daemon:\n  log_file: /tmp/x\n  serverPort: many\ncache:\n  address: 1\nchains:\n  route: sa\nproviders:\n  - options: {}\n",
    );
    expect(await problems(loadConfig({ config }))).toEqual([
      "verbena.yaml:2: daemon.log_file: unknown key (did you mean logFile?)",
      "verbena.yaml:4: cache: unknown key (did you mean caches?)",
      'verbena.yaml:3: daemon.serverPort: must be a whole number from 1 to 65535, not "many"',
      'verbena.yaml:7: chains.route: must be a list of provider names, not "sa"',
      "verbena.yaml:9: providers[0].package: is missing",
    ]);
  });

  it("reports errors of the options file and of verbena.yaml together", async () => {
    await file("opts.cfg", "retires 3\ntimeout 0\n");
    const config = await file("verbena.yaml", "files:\n  options: opts.cfg\nsa:\n  retries: -1\n");
    expect(await problems(loadConfig({ config }))).toEqual([
      'opts.cfg:2: timeout: "0": must be at least 1',
      "verbena.yaml:4: sa.retries: must be a whole number from 0, not -1",
      "opts.cfg:1: warning: unknown key retires; the line is ignored (did you mean retries?)",
    ]);
  });

  it("reports syntax errors with their line", async () => {
    const config = await file("verbena.yaml", "daemon:\n  logLevel: [1\n");
    expect((await problems(loadConfig({ config })))[0]).toMatch(/^verbena\.yaml:3: /);
    const twice = await file("twice.yaml", "sa:\n  retries: 1\n  retries: 2\n");
    expect((await problems(loadConfig({ config: twice })))[0]).toMatch(/^twice\.yaml:3: .*unique/);
  });

  it("refuses files that verbena.yaml names and that are not there", async () => {
    const config = await file("verbena.yaml", "files: { options: none.cfg }\n");
    expect(await problems(loadConfig({ config }))).toEqual(["none.cfg: the file is not there"]);
    expect(await problems(loadConfig({ config: join(folder, "nothing.yaml") }))).toEqual([
      "nothing.yaml: the file is not there",
    ]);
  });

  it("blames for the caller's settings whom the caller names", async () => {
    const sources = { ignoreDefaults: true, origin: "command line" } as const;
    expect(await problems(loadConfig({ ...sources, overrides: { daemon: { serverPort: 0 } } }))).toEqual([
      "command line: daemon.serverPort: must be a whole number from 1 to 65535, not 0",
    ]);
    expect(await problems(loadConfig({ ...sources, overrides: { sa: { timeout: 500 } } as object }))).toEqual([
      "command line: sa.timeout: unknown key (did you mean timeoutMs?)",
    ]);
    expect(await problems(loadConfig({ ignoreDefaults: true, overrides: { daemon: { serverPort: 0 } } }))).toEqual([
      "configuration: daemon.serverPort: must be a whole number from 1 to 65535, not 0",
    ]);
  });

  it("takes a section without keys for an empty one, and a key without value for a mistake", async () => {
    const empty = await file("empty.yaml", "sa:\ncaches:\n  address:\nproviders:\n");
    const { config } = await loadConfig({ config: empty });
    expect(config.sa).toMatchObject({ timeoutMs: 2000, retries: 2 });
    expect(config.caches.address.ttlMs).toBe(1440 * 60_000);
    const bare = await file("bare.yaml", "sa:\n  retries:\n");
    expect(await problems(loadConfig({ config: bare }))).toEqual([
      "bare.yaml:2: sa.retries: must be a whole number from 0, not null",
    ]);
  });

  it("says one thing once, and where an alias has no anchor", async () => {
    const infinite = await file("infinite.yaml", "daemon:\n  serverPort: .inf\n");
    expect(await problems(loadConfig({ config: infinite }))).toEqual([
      "infinite.yaml:2: daemon.serverPort: must be a whole number from 1 to 65535, not Infinity",
    ]);
    const alias = await file("alias.yaml", "sa:\n  retries: 1\n  timeoutMs: *slow\n");
    expect(await problems(loadConfig({ config: alias }))).toEqual([expect.stringMatching(/^alias\.yaml:3: .*slow/)]);
  });

  it("refuses a key that stands twice in its section", async () => {
    const twice = await file("twice.yaml", "sa:\n  retries: 1\n  retries: 2\nsa: { depth: 1 }\n");
    expect(await problems(loadConfig({ config: twice }))).toEqual([
      "twice.yaml:4: Map keys must be unique",
      "twice.yaml:3: Map keys must be unique",
    ]);
  });

  it("names the first hundred wrong lines of a file and counts the rest", async () => {
    const options = await file("opts.cfg", "log_fiel x\n".repeat(20_000));
    const { diagnostics } = await loadConfig({ options, addresses: options, ignoreDefaults: true });
    const warnings = diagnostics.filter(({ severity }) => severity === "warning").map(formatDiagnostic);
    expect(warnings[99]).toBe(`${options}:100: unknown key log_fiel; the line is ignored (did you mean log_file?)`);
    expect(warnings.at(-1)).toMatch(/: and \d+ more of this kind$/);
    expect(warnings.length).toBeLessThan(102);
  });
});
