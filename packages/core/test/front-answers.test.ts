import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ACM_COUNTERS, emptyPathRecord, Gid, Lid, PKey } from "@verbena/ib";
import { zeroCounters } from "../src/engine/endpoint-account.js";
import { Footing } from "../src/engine/footing.js";
import { Destination } from "../src/sdk/destination.js";
import { ask, gid, HOST, hostAddress, named, nodeGuid } from "./support/engine-bench.js";
import { type FrontRig, startFrontRig } from "./support/front-rig.js";
import { raceGenerations } from "./support/generation-race.js";
import { comeAndGo } from "./support/passers-by.js";

const dir = mkdtempSync(join(tmpdir(), "front-answers-"));
const path = join(dir, "s");
let rig: FrontRig;
afterAll(() => {
  rmSync(dir, { recursive: true });
});

const resolve = () => rig.client.resolve({ source: "host1", destination: "node1" });

/** Everything known of `node1`, and its reply with the front end. */
async function keep(options: Parameters<typeof startFrontRig>[1] = {}): Promise<void> {
  rig = await startFrontRig(path, options);
  await rig.clock.run(ask(rig, "node1"));
  await resolve();
}

/** How many of `count` more requests come through to the engine. */
async function comingThrough(count: number): Promise<number> {
  const before = rig.handled();
  for (let n = 0; n < count; n++) await resolve();
  return rig.handled() - before;
}

/** More than so many requests have come through. */
async function cameThrough(before: number): Promise<void> {
  while (rig.handled() === before) await new Promise((done) => setImmediate(done));
}

describe("front end: answers of its own", () => {
  afterEach(() => rig.close());

  it("gives out what the engine has answered from its caches, and counts it as the engine would", async () => {
    await keep();
    const own = (await resolve()).path;
    expect(own).toMatchObject({ dgid: gid(nodeGuid(1)), sgid: gid(HOST), dlid: 101 });
    expect(await comingThrough(98)).toBe(0);
    // The first of the bench, which made the lookup, was none of the edge.
    const counters = await rig.client.perf();
    expect(ACM_COUNTERS.map((name) => counters[name])).toEqual([0, 100, 0, 1, 0, 1, 100]);
    expect(ACM_COUNTERS.map((name) => rig.engine.endpoints()[0]?.counters[name])).toEqual([0, 101, 0, 1, 0, 1, 100]);
    const [mine] = rig.engine.clients().clients.filter(({ pid }) => pid === process.pid);
    expect(mine).toMatchObject({ kind: "unix", uid: process.getuid?.(), requests: 100, cacheHits: 100, errors: 0 });
  });

  it("counts what clients asked that have gone, and what was asked before it stops", async () => {
    await keep();
    await resolve();
    await rig.client.close();
    rig.server.destroy();
    expect(rig.engine.counters()).toMatchObject({ resolve: 3, routeCache: 2 });
    expect(rig.engine.clients().clients.find(({ pid }) => pid === process.pid)).toMatchObject({ requests: 2 });
  });

  it("answers own addresses and paths by GID and LID by itself, too", async () => {
    await keep();
    await rig.client.resolve({ source: "host1", destination: "host1" });
    const before = rig.handled();
    expect((await rig.client.resolve({ source: "host1", destination: "host1" })).path).toMatchObject({
      dlid: 2,
      slid: 2,
    });
    expect(rig.handled()).toBe(before);
    const none = { sgid: Gid.zero, slid: Lid.zero, pkey: PKey.zero, client: { id: 1, kind: "unix" } } as const;
    await rig.clock.run(rig.engine.resolvePath({ ...none, dgid: gid(nodeGuid(3)), dlid: Lid.zero, reversible: true }));
    for (let n = 0; n < 3; n++) await rig.client.resolvePath({ dgid: gid(nodeGuid(3)) });
    expect(rig.handled()).toBe(before + 1);
  });

  it("keeps no failure, and nothing that the SA was asked for the client", async () => {
    await keep({ negativeTtlMs: 60_000 });
    const before = rig.handled();
    for (let n = 0; n < 3; n++) {
      await expect(rig.client.resolve({ source: "host1", destination: "nobody" })).rejects.toMatchObject({
        code: "VERBENA_CLIENT_STATUS",
      });
      const record = emptyPathRecord({ dgid: gid(nodeGuid(1)), sgid: gid(HOST) });
      await rig.clock.run(rig.client.querySa(record));
    }
    expect(rig.handled()).toBe(before + 6);
  });

  it.each<readonly [string, () => void | Promise<void>]>([
    ["the destination is flushed", () => void rig.engine.flush(named("node1"))],
    ["everything is flushed", () => void rig.engine.flush()],
    [
      "the port gets another LID",
      () => {
        rig.native.changeLid("sim0", 1, Lid.from(7));
      },
    ],
    [
      "another SM takes over",
      () => {
        rig.native.changeSm("sim0", 1, Lid.from(9));
      },
    ],
    [
      "the link goes down and comes up",
      async () => {
        rig.native.linkDown("sim0", 1);
        await rig.clock.settle();
        rig.native.linkUp("sim0", 1);
      },
    ],
    [
      "the destination becomes an address of this host",
      () => {
        rig.engine.setAddressFile([
          { kind: "name", text: "host1", device: "sim0", port: 1, pkey: "default" },
          { kind: "name", text: "node1", device: "sim0", port: 1, pkey: "default" },
        ]);
      },
    ],
    [
      "another address comes",
      () => {
        rig.native.addresses.add(hostAddress("192.0.2.77"));
      },
    ],
    [
      "the endpoint is not ready any more",
      () => {
        rig.provider.endpoints[0]?.setState("joining");
      },
    ],
  ])("asks the engine again when %s", async (_, change) => {
    await keep();
    expect(await comingThrough(3)).toBe(0);
    await change();
    await rig.clock.settle();
    const before = rig.handled();
    const again = resolve().catch(() => undefined);
    await Promise.race([again, cameThrough(before)]);
    expect(rig.handled()).toBe(before + 1);
  });

  it("lets the engine refresh an entry in the last part of its life", async () => {
    await keep({ routeTtlMs: 40, addressTtlMs: 40, refreshShare: 0.5 });
    const before = rig.handled();
    // Its time is that of the clients: after 20 ms the engine is asked, whose own clock stands still.
    while (rig.handled() === before) await resolve();
    expect(await comingThrough(1)).toBe(0);
  });

  it("drops one destination and keeps the others", async () => {
    await keep();
    await rig.clock.run(ask(rig, "node2"));
    for (let n = 0; n < 2; n++) await rig.client.resolve({ source: "host1", destination: "node2" });
    rig.engine.flush(Destination.name("node2"));
    expect(await comingThrough(3)).toBe(0);
  });

  it("empties the table rather than to drop a thousand replies one by one, and goes on", async () => {
    await keep();
    const request = Buffer.alloc(88);
    request.set([1, 1]);
    request.set(new Uint8Array(Uint16Array.of(88).buffer), 6);
    const grounds = Array.from({ length: 1_025 }, () => ({}));
    for (const ground of grounds) {
      const footing = new Footing();
      footing.grounds.push(ground);
      footing.counters = zeroCounters();
      rig.kept.keep(request, request, footing);
    }
    expect(await comingThrough(1)).toBe(0);
    for (const ground of grounds) rig.kept.lost(ground);
    expect(await comingThrough(5)).toBe(1);
  });

  it("never answers with what was true before an invalidation that had returned", async () => {
    rig = await startFrontRig(join(dir, "other"));
    const { requests, handled, invalidations, stale } = await raceGenerations(path, 100_000, lot(1));
    expect(stale).toEqual([]);
    expect(requests).toBe(100_000);
    expect(invalidations).toBeGreaterThan(100);
    // Both ways were taken.
    expect(handled).toBeGreaterThan(invalidations / 2);
    expect(handled).toBeLessThan(requests / 2);
  });
});

it("disturbs nobody by a thousand clients that come and go", async () => {
  expect(await comeAndGo(join(dir, "passers"), 1_000, lot(2))).toEqual([]);
});

/** Numbers of [0, 1), the same in every run. */
function lot(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}
