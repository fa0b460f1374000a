import type { Resolver } from "@verbena/core";
import { twoLevel } from "@verbena/fabric-sim";
import { PKey } from "@verbena/ib";
import { eventually } from "./support/eventually.js";
import { TestFabric } from "./support/fabric.js";
import { addressLines, FAMILIES } from "./support/families.js";

jest.setTimeout(90_000);

const PARTITION = PKey.from(0x8001);

describe.each([
  ["sa", ["sa"]],
  ["acm", ["acm", "sa"]],
] as const)("changes of the fabric with route_prot %s", (_prot, route) => {
  let fabric: TestFabric;
  let [h1, h2, h3] = [] as unknown as [Resolver, Resolver, Resolver];
  const config = { chains: { address: ["acm"], route: [...route] } };
  beforeEach(async () => {
    fabric = await TestFabric.start({
      topology: twoLevel({ hosts: 3, pkeys: [PKey.DEFAULT, PARTITION] }),
      addresses: [
        ...addressLines([1, 2, 3]),
        ...FAMILIES.map(({ host, prefixLength }) => `H2 ${host(7)}/${String(prefixLength)}`),
      ],
    });
    [h1, h2, h3] = await Promise.all([
      fabric.host("H1", { config }),
      fabric.host("H2", { config }),
      fabric.host("H3", { config }),
    ]);
  });
  afterEach(() => fabric[Symbol.asyncDispose]());

  const lidFrom = async (host: Resolver, destination: string): Promise<number | undefined> =>
    (await host.resolve(destination)).paths[0]?.dlid;

  it("a host whose LID changes is found at the new one, without a notice of the SA: it says so itself", async () => {
    const before = await fabric.lid("H2");
    expect(await lidFrom(h1, "h2")).toBe(before);
    await fabric.sim.request({ op: "lid", action: "change", end: "H2" });
    const after = await fabric.lid("H2");
    expect(after).not.toBe(before);
    await eventually(async () => expect(await lidFrom(h1, "h2")).toBe(after));
    for (const { host } of FAMILIES) {
      await eventually(async () => expect(await lidFrom(h2, host(1))).toBe(await fabric.lid("H1")));
      await eventually(async () => expect(await lidFrom(h1, host(2))).toBe(after));
    }
  });

  it.each(FAMILIES)("an $family address that moves to another host is found there", async ({ host }) => {
    const ip = host(7);
    expect(await lidFrom(h1, ip)).toBe(await fabric.lid("H2"));
    await fabric.sim.request({ op: "addr", action: "move", address: ip, node: "H3" });
    const there = await fabric.lid("H3");
    await eventually(async () => expect(await lidFrom(h1, ip)).toBe(there));
    await eventually(async () => expect(await lidFrom(h2, ip)).toBe(there));
    expect(await lidFrom(h3, ip)).toBe(there);
  });

  it.each(FAMILIES)(
    "an $family address that comes is found, and not when it has gone",
    async ({ host, prefixLength }) => {
      const ip = host(9);
      await expect(h1.resolve(ip, { deadlineMs: 200 })).rejects.toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
      await fabric.sim.request({ op: "addr", action: "add", address: `${ip}/${String(prefixLength)}`, node: "H3" });
      const there = await fabric.lid("H3");
      await eventually(async () => expect(await lidFrom(h1, ip)).toBe(there));
      await fabric.sim.request({ op: "addr", action: "del", address: ip });
      await eventually(() => expect(h3.endpoints()[0]?.addresses).not.toContain(ip));
      h1.engine.flush();
      await expect(h1.resolve(ip, { deadlineMs: 200 })).rejects.toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
    },
  );

  it("a port that goes down and comes back joins again and finds the others", async () => {
    await fabric.sim.request({ op: "link", action: "down", end: "H2" });
    await eventually(() => expect(h2.endpoints()).toEqual([]));
    await fabric.sim.request({ op: "link", action: "up", end: "H2" });
    await eventually(async () => expect(await lidFrom(h2, "h1")).toBe(await fabric.lid("H1")));
    await eventually(async () => expect(await lidFrom(h1, "h2")).toBe(await fabric.lid("H2")));
  });

  it.each(["reregister", "hand-over"] as const)(
    "after %s of the SM every host is in the group and finds the others",
    async (action) => {
      await fabric.sim.request({ op: "sm", action, ...(action === "hand-over" ? { end: "H3" } : {}) });
      for (const [from, to] of [
        [h1, "h2"],
        [h2, "h1"],
        [h3, "h1"],
      ] as const) {
        from.engine.flush();
        await eventually(async () => expect(await lidFrom(from, to)).toBe(await fabric.lid(to.toUpperCase())));
      }
      expect(h1.endpoints()[0]?.groups[0]).toMatchObject({ state: "joined" });
    },
  );

  it.each(FAMILIES)(
    "a P_Key that comes makes an endpoint with a group of its own once an $family address is there; one that goes takes it along",
    async ({ other, prefixLength }) => {
      for (const n of [1, 2]) {
        const address = `${other(n)}/${String(prefixLength)}`;
        await fabric.sim.request({ op: "addr", action: "add", address, node: `H${String(n)}`, pkey: "0x8001" });
      }
      await eventually(() => expect(h1.endpoints().map(({ pkey }) => pkey)).toContain(PARTITION));
      await eventually(async () => expect(await lidFrom(h1, other(2))).toBe(await fabric.lid("H2")));
      const own = h1.endpoints().find(({ pkey }) => pkey === PARTITION);
      expect(own?.groups).toMatchObject([{ role: "base", state: "joined" }]);
      await fabric.sim.request({ op: "pkey", end: "H1", index: 1 });
      await eventually(() => expect(h1.endpoints().map(({ pkey }) => pkey)).not.toContain(PARTITION));
      await eventually(async () => expect(await lidFrom(h1, "h2")).toBe(await fabric.lid("H2")));
    },
  );
});

describe("a join that fails", () => {
  it("is tried again until it succeeds, and shown meanwhile", async () => {
    await using fabric = await TestFabric.start({ topology: twoLevel({ hosts: 2 }), timeScale: 20 });
    const config = { sa: { timeoutMs: 200, retries: 0 }, chains: { address: ["acm"], route: ["sa"] } };
    const h2 = await fabric.host("H2", { config });
    await fabric.sim.request({ op: "sa", mode: "silent" });
    const h1 = await fabric.host("H1", { config, settleMs: 0 });
    await eventually(() => expect(h1.endpoints()[0]?.groups[0]).toMatchObject({ state: "failed" }));
    expect(h1.endpoints()[0]?.groups[0]?.problem).toMatch(/./);
    await fabric.sim.request({ op: "sa", mode: "normal" });
    await eventually(() => expect(h1.endpoints()[0]?.groups[0]).toMatchObject({ state: "joined" }));
    await eventually(async () => expect((await h1.resolve("h2")).paths[0]?.dlid).toBe(await fabric.lid("H2")));
    expect((await h2.resolve("h1")).paths[0]?.dlid).toBe(await fabric.lid("H1"));
  });
});
