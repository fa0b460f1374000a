/** Addresses that move: between other hosts, and between the ports of this one. */
import { Gid } from "@verbena/ib";
import type { EngineChange } from "../src/engine/contract.js";
import {
  ask,
  type Bench,
  gid,
  HOST,
  HOST_2,
  hostAddress,
  ip,
  named,
  nodeGuid,
  startBench,
} from "./support/engine-bench.js";

/** Changes of some types as they come. */
function follow(bench: Bench, ...types: readonly EngineChange["type"][]): EngineChange[] {
  const seen: EngineChange[] = [];
  const changes = bench.engine.changes();
  void (async () => {
    for await (const change of changes) if (types.includes(change.type)) seen.push(change);
  })();
  return seen;
}

const at = (n: number): string => Gid.format(gid(nodeGuid(n)));

describe("engine: an address that moves between other hosts", () => {
  const TTL_MS = 60_000;

  async function setUp() {
    const bench = await startBench({ refreshShare: 0 });
    let home = 7;
    bench.provider.address = () => Promise.resolve({ gid: gid(nodeGuid(home)), ttlMs: TTL_MS });
    const seen = follow(bench, "moved");
    const dlid = async (): Promise<number | undefined> => (await bench.clock.run(ask(bench, "service"))).paths[0]?.dlid;
    return { bench, seen, dlid, moveTo: (n: number) => (home = n) };
  }

  it("is served at the new place one time to live later, and reported then", async () => {
    const { bench, seen, dlid, moveTo } = await setUp();
    expect(await dlid()).toBe(107);
    moveTo(8);
    await bench.clock.advance(TTL_MS - 1);
    expect(await dlid()).toBe(107);
    expect(seen).toEqual([]);
    await bench.clock.advance(1);
    expect(await dlid()).toBe(108);
    await bench.clock.settle();
    expect(seen).toEqual([
      { type: "moved", endpoint: "sim0/1/0xffff", destination: "service", from: at(7), to: at(8) },
    ]);
    await bench.engine.close();
  });

  it("is reported after a flush, a flap of the own port and a time without it too, and not when it stayed", async () => {
    const { bench, seen, dlid, moveTo } = await setUp();
    await dlid();
    bench.engine.flush();
    await dlid();
    bench.native.linkDown("sim0", 1);
    await bench.clock.settle();
    bench.native.linkUp("sim0", 1);
    await bench.clock.settle();
    await dlid();
    await bench.clock.settle();
    expect(seen).toEqual([]);
    bench.provider.address = () => Promise.resolve(undefined);
    await bench.clock.advance(TTL_MS);
    await expect(bench.clock.run(ask(bench, "service"))).rejects.toMatchObject({ code: "VERBENA_RESOLVE_NO_DATA" });
    await bench.clock.advance(2_000);
    moveTo(9);
    bench.provider.address = () => Promise.resolve({ gid: gid(nodeGuid(9)) });
    expect(await dlid()).toBe(109);
    await bench.clock.settle();
    expect(seen).toMatchObject([{ from: at(7), to: at(9) }]);
    await bench.engine.close();
  });
});

describe("engine: an address that moves between two ports of this host", () => {
  it.each([
    ["leaves the old port first", true],
    ["comes to the new port first", false],
  ])("%s: endpoints, local answers, providers and changes follow", async (_what, isOldFirst) => {
    for (const address of ["192.0.2.9", "2001:db8::9"]) {
      const bench = await startBench({}, (native) => {
        native.set("sim0", 2, { state: "active" });
      });
      const [old, young] = [hostAddress(address, HOST), hostAddress(address, HOST_2)];
      bench.native.addresses.add(old);
      await bench.clock.settle();
      expect(bench.engine.endpointOf(ip(address))?.key).toBe("sim0/1/0xffff");
      const seen = follow(bench, "address");
      const steps = [
        () => {
          bench.native.addresses.remove(old);
        },
        () => {
          bench.native.addresses.add(young);
        },
      ];
      for (const step of isOldFirst ? steps : steps.reverse()) {
        step();
        await bench.clock.settle();
      }
      expect(bench.engine.endpointOf(ip(address))?.key).toBe("sim0/2/0xffff");
      const told = bench.provider.endpoints.map(({ endpoint, addresses }) => [
        endpoint.key,
        addresses.some(({ text }) => text === address),
      ]);
      expect(told).toEqual([
        ["sim0/1/0xffff", false],
        ["sim0/2/0xffff", true],
      ]);
      const removed = { type: "address", endpoint: "sim0/1/0xffff", address, event: "removed" };
      const added = { type: "address", endpoint: "sim0/2/0xffff", address, event: "added" };
      expect(seen).toEqual(isOldFirst ? [removed, added] : [added, removed]);
      const answer = await bench.clock.run(
        bench.engine.resolve({ source: ip(address), destination: named("node3"), client: { id: 1, kind: "embed" } }),
      );
      expect(answer.paths[0]).toMatchObject({ sgid: gid(HOST_2), dlid: 103 });
      await bench.engine.close();
    }
  });
});
