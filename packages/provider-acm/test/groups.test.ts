import { join } from "node:path";
import type { Resolver } from "@verbena/core";
import { Mtu, Rate } from "@verbena/ib";
import { eventually } from "./support/eventually.js";
import { TestFabric } from "./support/fabric.js";
import { FAMILIES } from "./support/families.js";
import { star } from "./support/star.js";

jest.setTimeout(90_000);

const acmRoutes = { chains: { address: ["acm"], route: ["acm", "sa"] } };

const pathTo = async (from: Resolver, name: string) => {
  const { paths, provenance } = await from.resolve(name);
  const [path] = paths;
  return {
    gbps: Rate.toGbps(path?.rate ?? Rate.zero),
    mtu: Mtu.toBytes(path?.mtu ?? Mtu.zero),
    by: provenance.route.provider,
    sl: path?.sl,
  };
};

describe("more than two groups", () => {
  it("hosts of 10, 40 and 100 Gb/s share a base group and use the best that both have", async () => {
    const hosts = [
      ["A", "SDR"],
      ["B", "QDR"],
      ["C", "QDR"],
      ["D", "EDR"],
      ["E", "EDR"],
    ] as const;
    await using fabric = await TestFabric.start({ topology: star(hosts) });
    const groups = [40, 100].map((rateGbps) => ({ rateGbps, mtuBytes: 4096 }));
    const at = new Map<string, Resolver>();
    for (const [node] of hosts) at.set(node, await fabric.host(node, { config: acmRoutes, acm: { groups } }));
    await eventually(() =>
      expect(
        [...at.values()].map((host) => host.endpoints()[0]?.groups.filter(({ state }) => state === "joined").length),
      ).toEqual([1, 2, 2, 3, 3]),
    );
    const rates = await Promise.all(
      [
        ["A", "D"],
        ["D", "A"],
        ["B", "C"],
        ["B", "E"],
        ["E", "B"],
        ["D", "E"],
      ].map(async ([from, to]) => {
        const { gbps, mtu, by } = await pathTo(at.get(from ?? "")!, (to ?? "").toLowerCase());
        return `${String(from)}${String(to)} ${String(gbps)} ${String(mtu)} ${by}`;
      }),
    );
    expect(rates).toEqual([
      "AD 10 2048 acm",
      "DA 10 2048 acm",
      "BC 40 4096 acm",
      "BE 40 4096 acm",
      "EB 40 4096 acm",
      "DE 100 4096 acm",
    ]);
    expect(
      at
        .get("A")
        ?.endpoints()[0]
        ?.groups.map(({ state }) => state),
    ).toEqual(["joined", "left-out", "left-out"]);
  });

  it.each([
    ["4x", "HDR", 200],
    ["4x", "NDR", 400],
    ["4x", "XDR", 800],
    ["2x", "HDR", 100],
    ["2x", "NDR", 200],
  ])("the group of ports of %s %s is joined at its rate, and paths have it", async (width, speed, gbps) => {
    const hosts = ["A", "B"].map((node) => [node, speed] as const);
    await using fabric = await TestFabric.start({ topology: star(hosts, width) });
    const options = { config: acmRoutes, acm: { portGroup: true } };
    const [a] = [await fabric.host("A", options), await fabric.host("B", options)];
    await eventually(() => expect(a.endpoints()[0]?.groups.map(({ state }) => state)).toEqual(["joined", "joined"]));
    expect(await pathTo(a, "b")).toMatchObject({ gbps, by: "acm" });
  });

  it("the SL of a group is that of the paths made of it", async () => {
    await using fabric = await TestFabric.start({
      topology: star([
        ["A", "EDR"],
        ["B", "EDR"],
      ]),
    });
    const options = { config: acmRoutes, acm: { groups: [{ rateGbps: 100, mtuBytes: 4096, sl: 3 }] } };
    const [a] = [await fabric.host("A", options), await fabric.host("B", options)];
    await eventually(() => expect(a.endpoints()[0]?.groups.map(({ state }) => state)).toEqual(["joined", "joined"]));
    expect(await pathTo(a, "b")).toMatchObject({ gbps: 100, sl: 3, by: "acm" });
  });

  it("hosts whose base groups differ do not hear each other", async () => {
    await using fabric = await TestFabric.start({
      topology: star([
        ["A", "EDR"],
        ["B", "EDR"],
      ]),
    });
    const a = await fabric.host("A", { config: acmRoutes });
    await fabric.host("B", { config: acmRoutes, acm: { minRateGbps: 40 } });
    await expect(a.resolve("b", { deadlineMs: 1000 })).rejects.toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
  });

  it("a host tells of the base group of others, as the SA knows it", async () => {
    await using fabric = await TestFabric.start({
      topology: star([
        ["A", "EDR"],
        ["B", "EDR"],
      ]),
    });
    const other = { config: acmRoutes, acm: { minRateGbps: 2, minMtuBytes: 1024 } };
    const [a, b] = [await fabric.host("A", { config: acmRoutes }), await fabric.host("B", other)];
    const problems = (of: Resolver) =>
      of.endpoints()[0]?.groups.flatMap(({ role, problem }) => (role === "foreign" ? [problem] : []));
    await eventually(() => expect([problems(a)?.length, problems(b)?.length]).toEqual([1, 1]));
    expect(problems(a)?.[0]).toContain(
      "2.5 Gb/s, MTU 1024 is the base group of other hosts, which hear nothing of this one",
    );
  });

  it("a port that is too slow for the base group says so, and what to do", async () => {
    await using fabric = await TestFabric.start({
      topology: star([
        ["A", "SDR"],
        ["B", "EDR"],
      ]),
    });
    const a = await fabric.host("A", { config: acmRoutes, acm: { minRateGbps: 40, minMtuBytes: 4096 } });
    await eventually(() =>
      expect(a.endpoints()[0]?.groups).toMatchObject([
        {
          role: "base",
          state: "failed",
          problem:
            "the port (10 Gb/s, MTU 4096) is too slow for the base group (40 Gb/s, MTU 4096): lower min_rate and min_mtu on all hosts, or mend the link",
        },
      ]),
    );
  });
});

/** Two hosts with two adapters each: `node1` has A1 and B1, `node2` A2 and B2; B1 is a full and B2 a limited member of a second partition. */
const RAILS = join(__dirname, "../../fabric-sim/topologies/dual-rail.net");

describe("two adapters of one host", () => {
  const config = (n: number) => ({
    ...acmRoutes,
    addresses: {
      names: [
        { name: `host${String(n)}`, device: "sim0", port: 1 },
        { name: `host${String(n)}-b`, device: "sim1", port: 1 },
        { name: `host${String(n)}-p`, device: "sim1", port: 1, pkey: 0x8010 },
      ],
    },
  });

  it("each endpoint has groups of its own; names of either are found from either; full and limited members talk", async () => {
    await using fabric = await TestFabric.start({ topology: RAILS });
    const one = await fabric.host("node1", { config: config(1) });
    const two = await fabric.host("node2", { config: config(2) });
    await eventually(() =>
      expect(one.endpoints().map(({ groups }) => groups[0]?.state)).toEqual(["joined", "joined", "joined"]),
    );
    await eventually(() => expect(two.endpoints().map(({ state }) => state)).toEqual(["ready", "ready", "ready"]));
    const lidOf = new Map<string, number>();
    for (const node of ["A1", "B1", "A2", "B2"]) lidOf.set(node, await fabric.lid(node));
    const found = async (host: Resolver, source: string, name: string): Promise<readonly unknown[]> => {
      const [path] = (await host.resolve(name, { source })).paths;
      return [path?.dlid, path?.pkey];
    };
    expect(await found(one, "host1", "host2")).toEqual([lidOf.get("A2"), 0xffff]);
    expect(await found(one, "host1", "host2-b")).toEqual([lidOf.get("B2"), 0xffff]);
    expect(await found(one, "host1-b", "host2")).toEqual([lidOf.get("A2"), 0xffff]);
    expect(await found(two, "host2", "host1-b")).toEqual([lidOf.get("B1"), 0xffff]);
    expect(await found(one, "host1-p", "host2-p")).toEqual([lidOf.get("B2"), 0x8010]);
    expect(await found(two, "host2-p", "host1-p")).toEqual([lidOf.get("B1"), 0x8010]);
  });

  it("the name of the other adapter is found too, by the fabric", async () => {
    await using fabric = await TestFabric.start({ topology: RAILS });
    const one = await fabric.host("node1", { config: config(1) });
    await eventually(() => expect(one.endpoints().map(({ state }) => state)).toEqual(["ready", "ready", "ready"]));
    const { paths } = await one.resolve("host1-b", { source: "host1" });
    expect(paths[0]?.dlid).toBe(await fabric.lid("B1"));
  });

  it("a device that is lost leaves the other at work", async () => {
    await using fabric = await TestFabric.start({ topology: RAILS });
    const one = await fabric.host("node1", { config: config(1) });
    await fabric.host("node2", { config: config(2) });
    await fabric.sim.request({ op: "link", action: "down", end: "B1" });
    await eventually(() => expect(one.endpoints().map(({ key }) => key)).toEqual(["sim0/1/0xffff"]));
    expect((await one.resolve("host2")).paths[0]?.dlid).toBe(await fabric.lid("A2"));
  });
});

describe("two ports of one adapter", () => {
  /** H1 has both ports on the switch, H2 one. */
  const TOPOLOGY = [
    'Switch\t3 "S"\t\t# "S" base port 0\n[1]\t"H1"[1]\n[2]\t"H1"[2]\n[3]\t"H2"[1]\n',
    'Hca\t2 "H1"\t\t# "H1"\n[1]\t"S"[1]\n[2]\t"S"[2]\n',
    'Hca\t1 "H2"\t\t# "H2"\n[1]\t"S"[3]\n',
  ].join("\n");

  it("have groups, names and addresses each of its own, and when one goes down the other is at work", async () => {
    const addresses = FAMILIES.flatMap(({ host, prefixLength }) =>
      [`H1[1] ${host(1)}`, `H1[2] ${host(2)}`, `H2 ${host(3)}`].map((line) => `${line}/${String(prefixLength)}`),
    );
    await using fabric = await TestFabric.start({ topology: TOPOLOGY, addresses });
    const names = [1, 2].map((port) => ({ name: `p${String(port)}`, device: "sim0", port }));
    const h1 = await fabric.host("H1", { config: { ...acmRoutes, addresses: { names } } });
    const h2 = await fabric.host("H2", { config: acmRoutes });
    await eventually(() => {
      const shown = h1.endpoints().map(({ key, state, groups }) => [key, state, groups[0]?.state]);
      expect(shown).toEqual([1, 2].map((port) => [`sim0/${String(port)}/0xffff`, "ready", "joined"]));
    });
    const { nodes } = await fabric.sim.request({ op: "status" });
    const lids = nodes.find(({ id }) => id === "H1")?.ports.map(({ lid }) => lid) ?? [];
    const to = async (destination: string): Promise<number | undefined> =>
      (await h2.resolve(destination)).paths[0]?.dlid;
    const ways = (port: number): readonly string[] => [`p${String(port)}`, ...FAMILIES.map(({ host }) => host(port))];
    for (const port of [1, 2]) {
      for (const way of ways(port)) expect(await to(way)).toBe(lids[port - 1]);
      expect((await h1.resolve("h2", { source: `p${String(port)}` })).paths[0]?.slid).toBe(lids[port - 1]);
    }
    await fabric.sim.request({ op: "link", action: "down", end: "H1[1]" });
    await eventually(() => expect(h1.endpoints().map(({ key }) => key)).toEqual(["sim0/2/0xffff"]));
    h2.engine.flush();
    for (const way of ways(2)) expect(await to(way)).toBe(lids[1]);
    await expect(h2.resolve("p1", { deadlineMs: 300 })).rejects.toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
  });
});
