import { twoLevel } from "@verbena/fabric-sim";
import { VerbenaError } from "@verbena/ib";
import { eventually } from "./support/eventually.js";
import { TestFabric } from "./support/fabric.js";
import { addressLines, FAMILIES } from "./support/families.js";

jest.setTimeout(120_000);

/** So many addresses of others, of both families in turn, half of them on H2 and half on H3. */
const living = (count: number): readonly { readonly address: string; readonly node: string; readonly line: string }[] =>
  Array.from({ length: count }, (_, n) => {
    const { host, prefixLength } = FAMILIES[n % FAMILIES.length]!;
    const [address, node] = [host(10 + (n >> 1)), (n >> 1) % 2 === 0 ? "H2" : "H3"];
    return { address, node, line: `${node} ${address}/${String(prefixLength)}` };
  });

const config = { chains: { address: ["acm"], route: ["sa"] } };

describe("one dead name and 200 living ones at once", () => {
  it.each(FAMILIES)("$family: the living are found as if the dead one were not asked for", async ({ host }) => {
    const others = living(200);
    await using fabric = await TestFabric.start({
      topology: twoLevel({ hosts: 3 }),
      addresses: [...addressLines([1]), ...others.map(({ line }) => line)],
    });
    const h1 = await fabric.host("H1", { config, acm: { resolveDepth: 1 } });
    // Nobody says by itself what it has: each has to be asked for.
    for (const node of ["H2", "H3"]) await fabric.host(node, { config, acm: { announce: false } });
    const controller = new AbortController();
    const { signal } = controller;
    const dead = h1.resolve(host(9), { deadlineMs: 60_000, signal }).catch((error: unknown) => error);
    const first = await Promise.race([
      dead,
      Promise.all(others.map(async ({ address }) => (await h1.resolve(address)).paths[0]?.dlid)),
    ]);
    expect(first).toEqual(await Promise.all(others.map(({ node }) => fabric.lid(node))));
    controller.abort();
    expect(await dead).toMatchObject({ code: "VERBENA_RESOLVE_ABORTED" });
  });
});

describe.each([
  ["datagrams", "data", 30, 1],
  ["datagrams", "data", 60, 2],
  ["MADs to and from the administrator", "mads", 30, 3],
  ["MADs to and from the administrator", "mads", 60, 4],
] as const)("of the %s (%s) %i %% are lost on their way", (_what, traffic, lossPercent, seed) => {
  it("no answer is wrong, who is not found is a time-out, and all are found once nothing is lost any more", async () => {
    const others = living(60);
    await using fabric = await TestFabric.start({
      topology: twoLevel({ hosts: 3 }),
      addresses: [...addressLines([1]), ...others.map(({ line }) => line)],
      seed,
    });
    const h1 = await fabric.host("H1", { config, acm: { announce: false } });
    for (const node of ["H2", "H3"]) await fabric.host(node, { config, acm: { announce: false } });
    const right = await Promise.all(others.map(({ node }) => fabric.lid(node)));
    const ask = (deadlineMs: number): Promise<readonly (number | string | undefined)[]> =>
      Promise.all(
        others.map(({ address }) =>
          h1.resolve(address, { deadlineMs }).then(
            ({ paths }) => paths[0]?.dlid,
            (error: unknown) => (VerbenaError.is(error) ? error.code : "fault"),
          ),
        ),
      );
    // Each packet crosses two links: so the share that is lost end to end is the one wanted.
    const perLink = 100 * (1 - Math.sqrt(1 - lossPercent / 100));
    await fabric.sim.request({ op: "fault", action: "set", lossPercent: perLink, traffic });
    // Where all are to be found, so many tries that the lot of each is certain: half of them are lost there or back.
    const outcomes = await ask(lossPercent === 30 ? 20_000 : 3_000);
    const isRight = outcomes.map((outcome, n) => outcome === right[n] || outcome === "VERBENA_RESOLVE_TIMEOUT");
    expect(isRight).not.toContain(false);
    const found = outcomes.filter((outcome) => typeof outcome === "number").length;
    if (traffic === "data" && lossPercent === 30) expect(found).toBe(others.length);
    else if (traffic === "data") expect(found).toBeGreaterThan(others.length / 2);
    await fabric.sim.request({ op: "fault", action: "clear" });
    // A failure is remembered for a second.
    await eventually(async () => expect(await ask(6_000)).toEqual(right));
  });
});

describe("two hosts with one address", () => {
  it("are reported by all who hear of it, and the first answer stays", async () => {
    await using fabric = await TestFabric.start({ topology: twoLevel({ hosts: 3 }) });
    const warnings = new Map<string, string[]>();
    const loggerOf = (node: string) => {
      const none = (): void => undefined;
      const warn = (text: string): void => {
        warnings.set(node, [...(warnings.get(node) ?? []), text]);
      };
      const logger = { debug: none, info: none, warn, error: none, child: () => logger };
      return logger;
    };
    const twin = (node: string) => ({
      config: {
        ...config,
        addresses: {
          names: [
            { name: "twin", device: "sim0" },
            { name: node.toLowerCase(), device: "sim0" },
          ],
        },
      },
      logger: loggerOf(node),
    });
    await fabric.host("H2", twin("H2"));
    await fabric.host("H3", twin("H3"));
    const h1 = await fabric.host("H1", { config, logger: loggerOf("H1") });
    const [there] = (await h1.resolve("twin")).paths;
    expect([await fabric.lid("H2"), await fabric.lid("H3")]).toContain(there?.dlid);
    for (const node of ["H1", "H2", "H3"]) {
      await eventually(() => expect(warnings.get(node)).toContain("two hosts answer for twin"));
    }
  });
});

describe("own addresses", () => {
  it.each([
    ["local", "answers from here", true],
    ["none", "asks the fabric, where nobody else has them", false],
  ] as const)("loopback %s %s", async (loopback, _what, isFound) => {
    await using fabric = await TestFabric.start({ topology: twoLevel({ hosts: 2 }) });
    const h1 = await fabric.host("H1", { config: { ...config, resolver: { loopback } } });
    const found = h1.resolve("h1", { deadlineMs: 500 }).then(
      () => true,
      () => false,
    );
    expect(await found).toBe(isFound);
  });
});

describe("what cannot be asked for by multicast", () => {
  it("an address with a scope is refused with a coded error, one without is asked for", async () => {
    await using fabric = await TestFabric.start({
      topology: twoLevel({ hosts: 2 }),
      addresses: ["H1 fe80::1:1/64", "H2 fe80::1:2/64"],
    });
    const h1 = await fabric.host("H1", { config });
    await fabric.host("H2", { config });
    await expect(h1.resolve("fe80::1:2%ib0")).rejects.toMatchObject({ code: "VERBENA_RESOLVE_DESTINATION_SYNTAX" });
    expect((await h1.resolve("ip:fe80::1:2")).paths[0]?.dlid).toBe(await fabric.lid("H2"));
  });

  it("a GID and a LID are their own answer: only the route is asked for", async () => {
    await using fabric = await TestFabric.start({ topology: twoLevel({ hosts: 2 }) });
    const h1 = await fabric.host("H1", { config });
    const lid = await fabric.lid("H2");
    const { paths } = await h1.resolve(`lid:${String(lid)}`);
    expect(paths[0]?.dlid).toBe(lid);
    expect((await h1.resolve({ kind: "gid", gid: paths[0]!.dgid, text: "h2" })).paths[0]?.dlid).toBe(lid);
    expect(h1.engine.counters().addressQuery).toBe(0);
  });
});
