import type { Resolver } from "@verbena/core";
import { twoLevel } from "@verbena/fabric-sim";
import { type AcmMad, encodePathRecord } from "@verbena/ib";
import { decodeAddress } from "../src/wire/acm-address.js";
import { MULTICAST_QPN } from "../src/wire/packet.js";
import { AcmWire } from "./support/acm-wire.js";
import { eventually } from "./support/eventually.js";
import { TestFabric } from "./support/fabric.js";
import { addressLines, FAMILIES } from "./support/families.js";

jest.setTimeout(60_000);

const NODES = ["H1", "H2", "H3"] as const;
const ADDRESSES = addressLines([1, 2, 3]);

/** What each host is asked for by. */
const waysTo = (n: number): readonly string[] => [
  `h${String(n)}`,
  `H${String(n)}`,
  ...FAMILIES.map(({ host }) => host(n)),
];

describe.each([
  ["sa", ["sa"]],
  ["acm", ["acm", "sa"]],
] as const)("three hosts with route_prot %s", (routeProt, route) => {
  let fabric: TestFabric;
  const hosts = new Map<number, Resolver>();
  beforeAll(async () => {
    fabric = await TestFabric.start({ topology: twoLevel({ hosts: 3 }), addresses: ADDRESSES });
    const config = { chains: { address: ["acm"], route: [...route] } };
    for (const [i, node] of NODES.entries()) hosts.set(i + 1, await fabric.host(node, { config }));
  });
  afterAll(() => fabric[Symbol.asyncDispose]());

  it.each([
    [1, 2],
    [2, 1],
    [1, 3],
    [3, 1],
    [2, 3],
    [3, 2],
  ])("host %i finds host %i by name, IPv4 and IPv6", async (from, to) => {
    const lids = await Promise.all(
      waysTo(to).map(async (text) => (await hosts.get(from)!.resolve(text)).paths[0]?.dlid),
    );
    expect(new Set(lids)).toEqual(new Set([await fabric.lid(`H${String(to)}`)]));
  });

  it.each(FAMILIES)(
    "the answer for an $family address says who knew: acm the address, and the route by its chain",
    async ({ host }) => {
      const { provenance } = await hosts.get(1)!.resolve(host(2));
      expect(provenance).toMatchObject({ address: { provider: "acm" }, route: { provider: routeProt } });
    },
  );

  it("the endpoint shows its base group with the MLID the SA gave", () => {
    expect(hosts.get(1)!.endpoints()[0]?.groups).toMatchObject([
      { role: "base", state: "joined", mlid: 0xc001, rate: 3, mtu: 4, sl: 0, trafficClass: 0 },
    ]);
  });

  it("a path of the group agrees with that of the SA in LIDs, GIDs, P_Key and SL", async () => {
    const sgid = hosts.get(1)!.endpoints()[0]!.gid;
    const own = (await hosts.get(1)!.resolve("h2")).paths[0]!;
    const sa = (await hosts.get(1)!.resolve(`lid:${String(own.dlid)}`)).paths[0]!;
    expect(own.sgid).toBe(sgid);
    const common = ["dgid", "sgid", "dlid", "slid", "pkey", "sl"] as const;
    expect(common.map((field) => own[field])).toEqual(common.map((field) => sa[field]));
    expect(encodePathRecord(own)).toHaveLength(64);
  });

  it.each(FAMILIES)("an $family address that nobody has ends as a time-out", async ({ host }) => {
    await expect(hosts.get(1)!.resolve(host(99), { deadlineMs: 500 })).rejects.toMatchObject({
      code: "VERBENA_RESOLVE_TIMEOUT",
    });
  });
});

describe("a request on the wire", () => {
  it.each(FAMILIES)(
    "of $family names the source of the client, and goes to who has answered before alone",
    async ({ host, prefixLength }) => {
      const line = (node: string, n: number): string => `${node} ${host(n)}/${String(prefixLength)}`;
      const fabric = await TestFabric.start({
        topology: twoLevel({ hosts: 2 }),
        addresses: [line("H1", 1), line("H1", 9), line("H2", 2), line("H2", 3)],
      });
      await using _ = fabric;
      await using wire = await AcmWire.follow(fabric);
      const config = { chains: { address: ["acm"], route: ["sa"] }, caches: { address: { refreshMs: 1 } } };
      const [h1] = [await fabric.host("H1", { config }), await fabric.host("H2", { config, acm: { announce: false } })];
      /** The first request of each transaction, in the order of these; repeats look alike. */
      const asked = () => {
        const firsts = new Map<unknown, readonly [string, string, string]>();
        for (const { mad, bth } of wire.requestsOf("H1")) {
          if (![host(2), host(3)].includes(wanted(mad)) || firsts.has(mad.tid)) continue;
          firsts.set(mad.tid, [asker(mad), wanted(mad), bth.destQpn === MULTICAST_QPN ? "all" : "one"]);
        }
        return [...firsts.values()];
      };
      await h1.resolve(host(2), { source: host(9) });
      await h1.resolve(host(3), { source: host(1) });
      await eventually(async () => {
        await h1.resolve(host(2), { source: host(9) });
        expect(asked().length).toBeGreaterThan(2);
      });
      expect(asked().slice(0, 3)).toEqual([
        [host(9), host(2), "all"],
        [host(1), host(3), "all"],
        [host(9), host(2), "one"],
      ]);
    },
  );
});

const asker = ({ srcType: type, srcAddress: info }: AcmMad) => decodeAddress({ type, info })?.text ?? "";
const wanted = ({ destType: type, destAddress: info }: AcmMad) => decodeAddress({ type, info })?.text ?? "";
