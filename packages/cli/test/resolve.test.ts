/** `serve` and the commands that ask it, as processes on a simulated fabric. */
import { rmSync } from "node:fs";
import type { EndpointsJson } from "@verbena/core/client";
import { Cluster } from "./support/cluster.js";
import { ask, type Run, run } from "./support/run.js";
import type { Served } from "./support/serve.js";

const TIMEOUT_MS = 60_000;

describe("resolve and its like", () => {
  let cluster: Cluster;
  let daemon: Served;

  beforeAll(async () => {
    cluster = await Cluster.start({
      hosts: 8,
      addresses: ["H1 192.0.2.1/24", "H1 2001:db8::1/64", "H8 192.0.2.8/24", "H8 2001:db8::8/64"],
    });
    const hosts = cluster.writeHosts("hosts.data", { "192.0.2.8": "H8", "2001:db8::8": "H8" });
    const options = cluster.write("opts.cfg", `addr_preload acm_hosts\naddr_data_file ${hosts}\n`);
    daemon = await cluster.serve("H1", ["-O", options]);
  }, TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  const asked = (words: readonly string[]): Promise<Run> => ask([...words, "--socket", daemon.socket]);

  it.each([
    ["a name", () => "node8"],
    ["an IPv4 address", () => "192.0.2.8"],
    ["an IPv6 address", () => "2001:db8::8"],
    ["a GID", () => cluster.gid("H8")],
    ["a GID by prefix", () => `gid:${cluster.gid("H8")}`],
    ["a LID", () => String(cluster.lid("H8"))],
    ["a LID by prefix", () => `lid:${cluster.lid("H8")}`],
  ])(
    "resolves %s",
    async (_kind, destination) => {
      const { status, out, err } = await asked(["resolve", destination(), "--json"]);
      expect(err).toBe("");
      expect(status).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        paths: [
          {
            dgid: cluster.gid("H8"),
            dlid: cluster.lid("H8"),
            sgid: cluster.gid("H1"),
            slid: cluster.lid("H1"),
            pkey: "0xffff",
            sl: 0,
            mtuBytes: 4096,
            rateGbps: 100,
            reversible: true,
          },
        ],
      });
    },
    TIMEOUT_MS,
  );

  it(
    "prints a table and where the answer came from",
    async () => {
      const { out } = await asked(["resolve", "node5", "-s", "192.0.2.1"]);
      const [heading, header, row] = out.split("\n");
      expect(heading).toBe("node5  (address sa (provider), route sa (provider))");
      expect(header?.split(/\s{2,}/)).toEqual([
        ...["DGID", "DLID", "SGID", "SLID", "P_Key", "SL", "MTU", "rate", "reversible"],
      ]);
      expect(row?.split(/\s{2,}/)).toEqual([
        ...[cluster.gid("H5"), String(cluster.lid("H5")), cluster.gid("H1"), String(cluster.lid("H1"))],
        ...["0xffff", "0", "4096", "100 Gb/s", "yes"],
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    "ends with 1 and a coded error for what nobody knows",
    async () => {
      const { status, out, err } = await asked(["resolve", "nobody"]);
      expect(status).toBe(1);
      expect(out).toBe("");
      expect(err).toMatch(/^verbena: no answer about nobody .*\[VERBENA_RESOLVE_TIMEOUT\]\nhint: /);
    },
    TIMEOUT_MS,
  );

  it(
    "reports failures as JSON too",
    async () => {
      const { status, out } = await asked(["resolve", "nobody", "--json"]);
      expect(status).toBe(1);
      expect(JSON.parse(out)).toMatchObject({ error: { code: "VERBENA_RESOLVE_TIMEOUT" } });
    },
    TIMEOUT_MS,
  );

  it(
    "lists endpoints, counters and the cache, and flushes",
    async () => {
      await asked(["resolve", "node4"]);
      const { endpoints } = JSON.parse((await asked(["endpoints", "--json"])).out) as EndpointsJson;
      expect(endpoints).toMatchObject([
        {
          key: "sim0/1/0xffff",
          state: "ready",
          lid: cluster.lid("H1"),
          gid: cluster.gid("H1"),
        },
      ]);
      expect([...(endpoints[0]?.addresses ?? [])].sort()).toEqual(["192.0.2.1/24", "2001:db8::1/64", "H1"]);
      const stats = JSON.parse((await asked(["stats", "--json"])).out) as { counters: Record<string, number> };
      expect(stats.counters["resolve"]).toBeGreaterThan(0);
      const listed = async (): Promise<string> => (await asked(["cache", "ls"])).out;
      expect(await listed()).toMatch(/address .*node4/);
      expect((await asked(["cache", "flush", "node4"])).out).toMatch(/^[1-9]\d* entr(y|ies) dropped\n$/);
      expect(await listed()).not.toMatch(/address .*node4/);
    },
    TIMEOUT_MS,
  );

  it(
    "falls back to the client protocol where there is no control socket, and says what that cannot do",
    async () => {
      rmSync(`${daemon.socket}.ctl`);
      const resolved = JSON.parse((await asked(["resolve", "192.0.2.8", "--json"])).out) as object;
      expect(resolved).toMatchObject({ paths: [{ dlid: cluster.lid("H8") }], chosenSource: "192.0.2.1" });
      const byLid = JSON.parse((await asked(["resolve", `lid:${cluster.lid("H3")}`, "--json"])).out) as object;
      expect(byLid).toMatchObject({ paths: [{ dgid: cluster.gid("H3") }] });
      expect((await asked(["endpoints"])).out).toContain("192.0.2.1/24");
      expect((await asked(["stats"])).out).toMatch(/resolve requests +\d+/);
      const { status, err } = await asked(["cache", "ls"]);
      expect(status).toBe(1);
      expect(err).toContain("a list of its cache: not offered by this daemon [VERBENA_CLI_NOT_OFFERED]");
    },
    TIMEOUT_MS,
  );
});

describe("exit statuses", () => {
  it.each([
    [3, ["resolve", "node1", "--socket", "/nowhere/sock"], "VERBENA_CLI_NO_DAEMON"],
    [3, ["sim", "ctl", "--dir", "/nowhere/fabric", "status"], "VERBENA_SIM_CONTROL_CONNECT"],
    [2, ["resolve"], "missing required argument"],
    [2, ["resolv", "node1"], "Did you mean resolve?"],
    [2, ["resolve", "node1", "--tmeout", "3"], "Did you mean --timeout?"],
    [2, ["resolve", "node1", "--timeout", "5s"], "VERBENA_CLI_USAGE_NUMBER"],
    [2, ["resolve", "lid:99999"], "VERBENA_RESOLVE_DESTINATION_SYNTAX"],
    [2, ["resolve", "fe80::1%ib0"], "VERBENA_RESOLVE_DESTINATION_SYNTAX"],
    [2, ["resolve", "name:fe80::1%ib0"], "VERBENA_RESOLVE_DESTINATION_SYNTAX"],
    [2, ["multicast", "check", "fe80::1%ib0"], "VERBENA_RESOLVE_DESTINATION_SYNTAX"],
    [2, ["serve", "--fabric", "fabric"], "VERBENA_CLI_USAGE_ARGUMENT"],
    [2, ["sim", "run", "/nowhere.net", "--dir", "/nowhere/fabric"], "VERBENA_SIM_FILE"],
    [0, ["--help"], ""],
    [0, ["resolve", "--help"], ""],
    [0, ["--version"], ""],
  ])("%i: verbena %j", async (expected, words, said) => {
    const { status, err } = await ask(words);
    expect(err).toContain(said);
    expect(status).toBe(expected);
  });

  it(
    "is the status of the process",
    async () => {
      const { status, err } = await run(["resolve", "node1", "--socket", "/nowhere/sock"]);
      expect(err).toMatch(/^verbena: no daemon answers at \/nowhere\/sock \[VERBENA_CLI_NO_DAEMON\]\nhint: /);
      expect(status).toBe(3);
    },
    TIMEOUT_MS,
  );
});
