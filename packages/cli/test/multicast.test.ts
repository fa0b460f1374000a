/** The default chains of the program: peers by multicast, the subnet administrator beside them. */
import { runFace } from "../src/face.js";
import { Cluster } from "./support/cluster.js";
import { ask } from "./support/run.js";

const TIMEOUT_MS = 120_000;
const HOSTS = [1, 2, 3];
const ADDRESSES = HOSTS.flatMap((n) => [
  `H${String(n)} 192.0.2.${String(n)}/24`,
  `H${String(n)} 2001:db8::${String(n)}/64`,
]);

describe("daemons with ibacm's defaults", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start({ hosts: 5, addresses: ADDRESSES, isThread: true });
    await cluster.serve("H1", [], { names: ["node1"] });
    await cluster.serve("H2", [], { names: ["node2"] });
    const options = cluster.write("H3.opts", "route_prot acm\nmin_rate 10\nresolve_depth 1\nsend_depth 1\n");
    await cluster.serve("H3", ["-O", options], { names: ["node3"] });
  }, TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  const asked = async (node: string, words: readonly string[]): Promise<unknown> => {
    const { status, out, err } = await ask([...words, "--socket", cluster.path(`${node}.sock`), "--json"]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    return JSON.parse(out) as unknown;
  };

  it.each([
    ["H1", "node2", "H2", "sa"],
    ["H1", "192.0.2.2", "H2", "sa"],
    ["H1", "2001:db8::2", "H2", "sa"],
    ["H2", "192.0.2.3", "H3", "sa"],
    ["H3", "node1", "H1", "acm"],
    ["H3", "192.0.2.1", "H1", "acm"],
    ["H3", "2001:db8::2", "H2", "acm"],
  ])(
    "%s finds %s at %s: the address by acm, the path by %s",
    async (node, destination, host, route) => {
      expect(await asked(node, ["resolve", destination])).toMatchObject({
        paths: [{ dlid: cluster.lid(host), dgid: cluster.gid(host) }],
        provenance: { address: { provider: "acm" }, route: { provider: route } },
      });
    },
    TIMEOUT_MS,
  );

  it(
    "a host without a daemon is found by the name the subnet administrator knows",
    async () => {
      expect(await asked("H1", ["resolve", "node5"])).toMatchObject({
        paths: [{ dlid: cluster.lid("H5") }],
        provenance: { address: { provider: "sa" }, route: { provider: "sa" } },
      });
    },
    TIMEOUT_MS,
  );

  it(
    "endpoints shows the groups: with route_prot acm that of the port's own rate too",
    async () => {
      const base = {
        mgid: "ff15:4001:ffff:3:400::",
        role: "base",
        state: "joined",
        rateGbps: 10,
        mtuBytes: 2048,
        sl: 0,
      };
      const own = {
        mgid: "ff15:4001:ffff:10:500::",
        role: "preferred",
        state: "joined",
        rateGbps: 100,
        mtuBytes: 4096,
      };
      /** Without those of others, which are looked for at times drawn by lot: H1 may have seen the one of H3's port. */
      const groupsOf = async (node: string) => {
        const { endpoints } = (await asked(node, ["endpoints"])) as { endpoints: { groups: { role: string }[] }[] };
        return endpoints.map(({ groups }) => groups.filter(({ role }) => role !== "foreign"));
      };
      expect(await groupsOf("H1")).toMatchObject([[base]]);
      expect(await groupsOf("H3")).toMatchObject([[base, own]]);
      const { out } = await ask(["endpoints", "--socket", cluster.path("H1.sock")]);
      expect(out).toMatch(/^sim0\/1\/0xffff +ff15:4001:ffff:3:400:: +base +joined +0xc\d{3} +10 +2048 +0 +0$/m);
    },
    TIMEOUT_MS,
  );

  /** Watches from before `question` until the count is reached, and tells the question whether it is. */
  const watched = async (
    words: readonly string[],
    question: (isOver: () => boolean) => Promise<unknown>,
  ): Promise<readonly string[]> => {
    let out = "";
    let isOver = false;
    let asking: Promise<unknown> | undefined;
    const socket = cluster.path("H2.sock");
    const status = await new Promise<number>((resolve, reject) => {
      const face = {
        out: (text: string) => {
          out += text;
        },
        err: (text: string) => {
          expect(text).toBe("watching\n");
          asking = question(() => isOver);
          asking.catch(reject);
        },
      };
      runFace(["node", "verbena", "multicast", "watch", "--socket", socket, ...words], face).then(resolve, reject);
    });
    isOver = true;
    await asking;
    expect(status).toBe(0);
    return out.trimEnd().split("\n");
  };

  it(
    "multicast watch shows who asks for whom, and the answer",
    async () => {
      // Between the two H1 may hear of H2 by itself, and has nothing to ask then.
      const question = async (isOver: () => boolean) => {
        do {
          await asked("H1", ["cache", "flush", "192.0.2.2"]);
          await asked("H1", ["resolve", "192.0.2.2", "-s", "192.0.2.1"]);
        } while (!isOver());
      };
      const lines = await watched(
        ["--endpoint", "sim0/1/0xffff", "--type", "request", "response", "--count", "2", "--json"],
        question,
      );
      const peer = { gid: cluster.gid("H1"), lid: cluster.lid("H1"), group: "ff15:4001:ffff:3:400::" };
      const about = { type: "event", endpoint: "sim0/1/0xffff", provider: "acm" };
      expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
        {
          ...about,
          event: { type: "request", way: "in", source: "192.0.2.1", wanted: "192.0.2.2", isOurs: true, ...peer },
        },
        { ...about, event: { type: "response", way: "out", status: 0, ...peer } },
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    "multicast watch ends after its time, and refuses an endpoint that is not there",
    async () => {
      const [line] = await watched(["--for", "10ms"], () => Promise.resolve());
      expect(line).toBe("");
      const { status, err } = await ask(["multicast", "watch", "--endpoint", "x", "--socket", cluster.path("H2.sock")]);
      expect([status, err]).toEqual([2, expect.stringContaining("no endpoint x; there are: sim0/1/0xffff")]);
    },
    TIMEOUT_MS,
  );

  const check = (...words: readonly string[]) =>
    ask(["multicast", "check", "--socket", cluster.path("H1.sock"), ...words]);

  it(
    "multicast check allows route_prot acm where both ways are alike, and cannot tell of who is not there",
    async () => {
      const { status, out } = await check("node2", "192.0.2.3");
      const of = (name: string, node: string) =>
        `${name}: route_prot acm may be used  (sim0/1/0xffff to ${cluster.gid(node)})\n`;
      expect([status, out]).toEqual([0, of("node2", "H2") + of("192.0.2.3", "H3")]);
      const missing = await check("node9", "node2", "--timeout", "500");
      expect([missing.status, missing.out]).toEqual([
        1,
        expect.stringMatching(/^node9: not checked: .* \[VERBENA_RESOLVE_TIMEOUT\]\nnode2: route_prot acm may be used/),
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    "multicast check forbids it on a fabric with a one-way route, and the known hosts are those it looks at unasked",
    async () => {
      await asked("H1", ["resolve", "node2"]);
      await cluster.sim.request({ op: "route", action: "cut", from: "H2", to: "H1" });
      const { status, out } = await check("--json");
      expect(status).toBe(1);
      const { isUsable, checks } = JSON.parse(out) as { isUsable: boolean; checks: readonly { gid?: string }[] };
      expect(isUsable).toBe(false);
      expect(checks.find(({ gid }) => gid === cluster.gid("H2"))).toMatchObject({
        forward: { dlid: cluster.lid("H2") },
        groups: [{ problems: expect.arrayContaining(["the SA knows no path back in partition 0xffff"]) as unknown }],
        isUsable: false,
      });
      await cluster.sim.request({ op: "sm", action: "sweep" });
      expect((await check("node2")).status).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    "beside a host with a one-way route the administrator's paths to the others still hold, and the check says so of each",
    async () => {
      await cluster.sim.request({ op: "route", action: "cut", from: "H5", to: "H1" });
      await asked("H1", ["cache", "flush"]);
      const { status, out } = await check("node2", "node5");
      expect([status, out]).toEqual([
        1,
        expect.stringMatching(/^node2: route_prot acm may be used .*\nnode5: route_prot acm must not be used .*\n/),
      ]);
      expect(await asked("H1", ["resolve", "node2"])).toMatchObject({
        paths: [{ dlid: cluster.lid("H2"), reversible: true }],
        provenance: { route: { provider: "sa" } },
      });
      const refused = await ask(["resolve", "node5", "--socket", cluster.path("H1.sock")]);
      expect([refused.status, refused.err]).toEqual([1, expect.stringContaining("[VERBENA_RESOLVE_NO_DATA]")]);
      await cluster.sim.request({ op: "sm", action: "sweep" });
      expect((await check("node5")).status).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    "a reload that makes a new engine keeps the host in its group: it is found while both engines live, and afterwards",
    async () => {
      const options = cluster.write("H4.opts", "timeout 2000\n");
      const daemon = await cluster.serve("H4", ["-O", options], { names: ["node-of-four"] });
      const find = async (): Promise<unknown> => {
        await asked("H1", ["cache", "flush", "node-of-four"]);
        return asked("H1", ["resolve", "node-of-four"]);
      };
      const right = { paths: [{ dlid: cluster.lid("H4") }], provenance: { address: { provider: "acm" } } };
      expect(await find()).toMatchObject(right);
      for (const timeout of [1900, 1800]) {
        cluster.write("H4.opts", `timeout ${String(timeout)}\n`);
        const reloading = daemon.control.reload();
        const over = reloading.then(() => true);
        do expect(await find()).toMatchObject(right);
        while (!(await Promise.race([over, Promise.resolve(false)])));
        expect((await reloading).applied).not.toEqual([]);
        expect(await find()).toMatchObject(right);
        expect(await asked("H4", ["endpoints"])).toMatchObject({
          endpoints: [{ state: "ready", groups: [{ role: "base", state: "joined" }] }],
        });
      }
    },
    TIMEOUT_MS,
  );
});
