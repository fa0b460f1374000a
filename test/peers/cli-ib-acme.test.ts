/**
 * Debian's `ib_acme`, unmodified, against `verbena serve` on the simulated fabric: every form of its command line gives the output
 * that program has for it, with the values the fabric knows. `verbena acme` prints the same.
 */
import { Cluster } from "../../packages/cli/test/support/cluster.js";
import { ask, run } from "../../packages/cli/test/support/run.js";
import type { Served } from "../../packages/cli/test/support/serve.js";
import { find, missing } from "./sim-programs.js";

const TIMEOUT_MS = 60_000;
const COUNTERS =
  "svc,Error Count,Resolve Count,No Data,Addr Query Count,Addr Cache Count,Route Query Count,Route Cache Count";
const reason = missing("ib_acme");
const suite = reason === undefined ? describe : describe.skip;

suite(`ib_acme and verbena serve${reason === undefined ? "" : `: ${reason}`}`, () => {
  let cluster: Cluster;
  let daemon: Served;

  beforeAll(async () => {
    // 192.0.2.1 is on the node's interface, as the kernel would show it; 192.0.2.101 and the IPv6 address are in the address file.
    cluster = await Cluster.start({ hosts: 8, addresses: ["H1 192.0.2.1/24"] });
    const hosts = cluster.writeHosts("hosts.data", {
      "192.0.2.2": "H2",
      "192.0.2.7": "H7",
      "2001:db8::2": "H2",
      storage: "H8",
    });
    const options = cluster.write(
      "opts.cfg",
      `support_ips_in_addr_cfg 1\naddr_preload acm_hosts\naddr_data_file ${hosts}\n`,
    );
    daemon = await cluster.serve("H1", ["-O", options], { names: ["node1", "192.0.2.101", "2001:db8::1"] });
  }, TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  /** Standard output and exit status. */
  async function acme(...words: readonly string[]): Promise<{ readonly status: number; readonly out: string }> {
    const { status, out, err } = await run(["-S", daemon.socket, ...words], { program: find("ib_acme") ?? "" });
    expect(err).toBe("");
    return { status, out };
  }

  /** The same by `verbena acme`. */
  async function ours(...words: readonly string[]): Promise<{ readonly status: number; readonly out: string }> {
    const { status, out } = await ask(["acme", "-S", daemon.socket, ...words]);
    return { status, out };
  }

  interface Expected {
    readonly to: string;
    readonly from?: string;
    readonly node: string;
    readonly isVerified?: boolean;
  }

  /** What one resolved destination looks like. */
  function block({ to, from, node, isVerified = false }: Expected): string {
    return [
      `Destination: ${to}`,
      ...(from === undefined ? [] : [`Source: ${from}`]),
      "Path information",
      `  dgid: ${cluster.gid(node)}`,
      `  sgid: ${cluster.gid("H1")}`,
      `  dlid: ${cluster.lid(node)}`,
      `  slid: ${cluster.lid("H1")}`,
      "  flow label: 0x0",
      "  hop limit: 0",
      "  tclass: 0",
      "  reversible: 1",
      "  pkey: 0xffff",
      "  sl: 0",
      "  mtu: 5",
      "  rate: 16",
      // Both ends the same: no time at all.
      `  packet lifetime: ${node === "H1" ? "0" : "18"}`,
      ...(isVerified ? ["SA verification: success"] : []),
      "\n",
    ].join("\n");
  }

  const whole = (...expected: readonly Expected[]): string =>
    `Service: ${daemon.socket}\n${expected.map(block).join("")}return status 0x0\n`;

  const forms: readonly (readonly [string, string, () => readonly Expected[]])[] = [
    ["names", "-f n -s node1 -d node2", () => [{ to: "node2", from: "node1", node: "H2" }]],
    ["a name of the hosts file", "-f n -s node1 -d storage", () => [{ to: "storage", from: "node1", node: "H8" }]],
    ["IPv4", "-f i -s 192.0.2.101 -d 192.0.2.2", () => [{ to: "192.0.2.2", from: "192.0.2.101", node: "H2" }]],
    ["IPv6", "-f i -s 2001:db8::1 -d 2001:db8::2", () => [{ to: "2001:db8::2", from: "2001:db8::1", node: "H2" }]],
    ["a LID", `-f l -d @H5`, () => [{ to: String(cluster.lid("H5")), node: "H5" }]],
    ["a GID", `-f g -d %H6`, () => [{ to: cluster.gid("H6"), node: "H6" }]],
    ["LIDs of both ends", "-f l -s @H1 -d @H5", () => [{ to: `${cluster.lid("H5")}`, from: "1", node: "H5" }]],
    [
      "names, verified",
      "-f n -s node1 -d node3 -v",
      () => [{ to: "node3", from: "node1", node: "H3", isVerified: true }],
    ],
    ["a LID, verified", "-f l -d @H4 -v", () => [{ to: String(cluster.lid("H4")), node: "H4", isVerified: true }]],
    ["a GID, verified", "-f g -d %H4 -v", () => [{ to: cluster.gid("H4"), node: "H4", isVerified: true }]],
    [
      "an IP without source and format: the daemon chooses and tells the source",
      "-d 192.0.2.7 -v",
      () => [{ to: "192.0.2.7", from: "192.0.2.1", node: "H7", isVerified: true }],
    ],
    [
      "a list",
      "-f n -s node1 -d node[1-3,5]",
      () => [1, 2, 3, 5].map((n) => ({ to: `node${n}`, from: "node1", node: `H${n}` })),
    ],
    [
      "a list of sources",
      "-f i -s 192.0.2.[1,101] -d 192.0.2.2",
      () => ["192.0.2.1", "192.0.2.101"].map((from) => ({ to: "192.0.2.2", from, node: "H2" })),
    ],
  ];

  it.each(forms)(
    "resolves %s: %s",
    async (_what, line, expected) => {
      const words = line
        .split(" ")
        .map((word) => word.replace(/^@(.*)/, (_, node: string) => String(cluster.lid(node))))
        .map((word) => word.replace(/^%(.*)/, (_, node: string) => cluster.gid(node)));
      const got = await acme(...words);
      expect(got).toEqual({ status: 0, out: whole(...expected()) });
      expect(await ours(...words)).toEqual(got);
    },
    TIMEOUT_MS,
  );

  it(
    "answers -c from the cache, or not at all",
    async () => {
      const words = ["-f", "n", "-s", "node1", "-d", "node6"];
      expect(await acme(...words, "-c")).toEqual({
        status: 255,
        out: `Service: ${daemon.socket}\nDestination: node6\nSource: node1\nib_acm_resolve_name failed: No data available\n\nreturn status 0xffffffff\n`,
      });
      await acme(...words);
      expect(await acme(...words, "-c")).toEqual({
        status: 0,
        out: whole({ to: "node6", from: "node1", node: "H6" }),
      });
    },
    TIMEOUT_MS,
  );

  it.each([
    ["a name nobody has", "-f n -s node1 -d nobody", "ib_acm_resolve_name failed: Connection timed out"],
    ["a source nobody has", "-f n -s nobody -d node2", "ib_acm_resolve_name failed: Cannot assign requested address"],
    ["a LID nobody has", "-f l -d 999", "ib_acm_resolve_path failed: No data available"],
  ])(
    "fails on %s",
    async (_what, line, text) => {
      const got = await acme(...line.split(" "));
      expect(got.out.split("\n")).toContain(text);
      expect(got.status).toBe(255);
      expect(await ours(...line.split(" "))).toEqual(got);
    },
    TIMEOUT_MS,
  );

  it(
    "lists the endpoint by -e, alone and by number",
    async () => {
      const line = `${daemon.socket},${await nodeGuid()},1,0xffff,1,ibacmp,`;
      for (const words of [["-e"], ["-e", "1"]]) {
        const { status, out } = await acme(...words);
        const [header, endpoint, last] = out.split("\n");
        expect(header).toBe("svc,guid,port,pkey,ep_index,prov,addr_0,addresses");
        expect(endpoint?.startsWith(line)).toBe(true);
        expect(endpoint?.slice(line.length).split(",").sort()).toEqual([
          ...["192.0.2.1/24", "192.0.2.101", "2001:db8::1", "node1"],
        ]);
        expect([last, status]).toEqual(["return status 0x0", 0]);
      }
      expect((await acme("-e", "2")).out).toContain(" Endpoint 2 is not available\n");
    },
    TIMEOUT_MS,
  );

  async function nodeGuid(): Promise<string> {
    const { nodes } = await cluster.sim.request({ op: "status" });
    return nodes.find(({ id }) => id === "H1")?.guid ?? "";
  }

  it(
    "shows the counters by -P in all its forms",
    async () => {
      const { counters } = await daemon.control.stats();
      const { error, resolve, noData, addressQuery, addressCache, routeQuery, routeCache } = counters;
      const values = [error, resolve, noData, addressQuery, addressCache, routeQuery, routeCache].join(",");
      const rows = `${COUNTERS}\n${daemon.socket},${values}\nreturn status 0x0\n`;
      expect(await acme("-P")).toEqual({ status: 0, out: rows });
      const names = COUNTERS.split(",").slice(1);
      const column = names.map((name, index) => `${name} : ${values.split(",")[index]}\n`).join("");
      for (const word of ["col", "COLUMN"]) {
        expect(await acme("-P", word)).toEqual({ status: 0, out: `${daemon.socket}\n${column}return status 0x0\n` });
      }
      // One endpoint has taken every request that had a source of this host.
      const endpoint = (await daemon.control.stats()).endpoints[0]?.counters;
      const own = [
        ...[endpoint?.error, endpoint?.resolve, endpoint?.noData, endpoint?.addressQuery],
        ...[endpoint?.addressCache, endpoint?.routeQuery, endpoint?.routeCache],
      ].join(",");
      const ownRows = `${COUNTERS}\n${daemon.socket},${own}\nreturn status 0x0\n`;
      for (const words of [["1"], ["all"], ["s", "-s", "192.0.2.101"], ["s", "-f", "n", "-s", "node1"]]) {
        expect(await acme("-P", ...words)).toEqual({ status: 0, out: ownRows });
      }
      expect((await acme("-P", "2")).out).toContain(
        `${daemon.socket}: Failed to query perf data: Cannot assign requested address\n`,
      );
    },
    TIMEOUT_MS,
  );

  it(
    "answers a thousand repetitions",
    async () => {
      await acme("-f", "n", "-s", "node1", "-d", "node7");
      const before = (await daemon.control.stats()).counters;
      expect(await acme("-f", "n", "-s", "node1", "-d", "node7", "-C", "1000")).toEqual({
        status: 0,
        out: whole({ to: "node7", from: "node1", node: "H7" }),
      });
      const after = (await daemon.control.stats()).counters;
      expect(after.resolve - before.resolve).toBe(1000);
      expect(after.routeCache - before.routeCache).toBe(1000);
      expect(after.routeQuery).toBe(before.routeQuery);
    },
    TIMEOUT_MS,
  );
});
