/** `multicast check` where hosts of 10 and 100 Gb/s share a fabric, each in the group of its port too. */
import { SystemProbe } from "../src/commands/doctor/system/system-probe.js";
import { Cluster } from "./support/cluster.js";
import { ask } from "./support/run.js";

const TIMEOUT_MS = 120_000;
const BASE = "ff15:4001:ffff:3:400::";
const FAST = "ff15:4001:ffff:10:500::";

describe("a fabric of mixed speeds under route_prot acm", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start({ hosts: 4, slowHosts: ["H2"], isThread: true });
    const options = cluster.write("acm.opts", "route_prot acm\n");
    for (const n of [1, 2, 3]) await cluster.serve(`H${String(n)}`, ["-O", options], { names: [`host${String(n)}`] });
  }, TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  it(
    "is in use as soon as the daemon is configured so, for doctor too, before any path has been asked for",
    async () => {
      const sources = { options: cluster.path("none"), addresses: cluster.path("none") };
      const socket = cluster.path("H3.sock");
      await using probe = new SystemProbe({ sources, socket, native: {}, patienceMs: 60_000 });
      // Which hosts have made themselves known by then is not what this is about.
      expect(await probe.multicast()).toMatchObject({ isInUse: true });
    },
    TIMEOUT_MS,
  );

  it(
    "allows it of a fast and a slow host, by the group both are in, and tells why the fast host's own is not used",
    async () => {
      const { status, out } = await ask(["multicast", "check", "--socket", cluster.path("H1.sock"), "host2"]);
      const not = (way: string) => `  not used, group ${FAST}: 100 Gb/s, but the path ${way} has 10 Gb/s\n`;
      expect([status, out]).toEqual([
        0,
        `host2: route_prot acm may be used  (sim0/1/0xffff to ${cluster.gid("H2")})\n${not("there")}${not("back")}`,
      ]);
    },
    TIMEOUT_MS,
  );

  it.each([
    ["host2", BASE],
    ["host3", FAST],
    // It has no daemon: nobody can say which groups it is in.
    ["node4", FAST],
  ])(
    "judges for %s the group %s",
    async (host, group) => {
      const { status, out } = await ask(["multicast", "check", "--socket", cluster.path("H1.sock"), host, "--json"]);
      expect([status, JSON.parse(out)]).toMatchObject([0, { isUsable: true, checks: [{ group, isUsable: true }] }]);
    },
    TIMEOUT_MS,
  );
});
