import { Gid, Lid, PKey } from "@verbena/ib";
import { ask, client, embedded, gid, HOST, ip, named, nodeGuid, startBench } from "./support/engine-bench.js";

const NOWHERE = { dgid: Gid.zero, sgid: Gid.zero, dlid: Lid.zero, slid: Lid.zero, pkey: PKey.zero, client };

describe("engine: from a name to a path", () => {
  it("finds the address, then the route, and says where both came from", async () => {
    const bench = await startBench();
    const answer = await bench.clock.run(ask(bench, "Node7"));
    expect(answer.paths).toHaveLength(1);
    expect(answer.paths[0]).toMatchObject({ dgid: gid(nodeGuid(7)), sgid: gid(HOST), dlid: 107, pkey: 0xffff });
    expect(answer).toMatchObject({
      endpoint: { key: "sim0/1/0xffff", device: "sim0", port: 1, portCount: 2 },
      provenance: { address: { provider: "fake", from: "provider" }, route: { provider: "fake", from: "provider" } },
      ageMs: 0,
      expiresInMs: 600_000,
      generation: 1,
    });
    const again = await ask(bench, "NODE7");
    expect(again.provenance).toEqual({
      address: { provider: "fake", from: "cache" },
      route: { provider: "fake", from: "cache" },
    });
    expect(again.paths).toEqual(answer.paths);
    expect(again.requestId).not.toBe(answer.requestId);
    expect(bench.native.sa.queries).toHaveLength(1);
    await bench.engine.close();
  });

  it("answers path requests by LID and GID, with the masks of ibacm", async () => {
    const bench = await startBench();
    const byLid = { ...NOWHERE, dlid: Lid.from(107) };
    const answer = await bench.clock.run(bench.engine.resolvePath(byLid));
    expect(answer.paths[0]).toMatchObject({ dlid: 107, slid: 2, sgid: gid(HOST) });
    expect(bench.native.sa.queries[0]?.mad.componentMask).toBe(0x2038n);
    const byGid = { ...NOWHERE, dgid: gid(nodeGuid(9)), pkey: PKey.from(0x7fff) };
    expect((await bench.clock.run(bench.engine.resolvePath(byGid))).paths[0]?.dlid).toBe(109);
    expect(bench.native.sa.queries[1]?.mad.componentMask).toBe(0x202cn);
    expect(bench.engine.tryResolvePathCached(byLid)?.paths).toEqual(answer.paths);
    await bench.engine.close();
  });

  it("does the same where verbs lists no device", async () => {
    const bench = await startBench({}, undefined, { verbs: false });
    expect((await bench.clock.run(ask(bench, "node1"))).paths[0]?.dlid).toBe(101);
    expect(bench.engine.endpointOf(named("HOST1"))?.key).toBe("sim0/1/0xffff");
    await bench.engine.close();
    expect(bench.clock.pending).toBe(0);
  });

  it("tells the providers as whom the client asks: what it named, as spelled, or what was chosen for it", async () => {
    const bench = await startBench();
    await bench.clock.run(bench.engine.resolve({ source: named("HOST1"), destination: named("node1"), client }));
    await bench.clock.run(bench.engine.resolve({ source: ip("192.0.2.1"), destination: named("node2"), client }));
    await bench.clock.run(bench.engine.resolve({ destination: ip("10.0.0.3"), client }));
    await bench.clock.run(bench.engine.resolve({ destination: named("node4"), client: embedded }));
    expect(bench.provider.addressQuestions.map(({ context }) => context.source?.text)).toEqual([
      "HOST1",
      "192.0.2.1",
      "192.0.2.1",
      undefined,
    ]);
    await bench.engine.close();
  });
});
