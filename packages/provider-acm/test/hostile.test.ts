import type { Resolver } from "@verbena/core";
import { twoLevel } from "@verbena/fabric-sim";
import { Gid } from "@verbena/ib";
import { requestMad, responseMad } from "../src/protocol/messages.js";
import { AcmWire } from "./support/acm-wire.js";
import { eventually } from "./support/eventually.js";
import { TestFabric } from "./support/fabric.js";
import { BASE, ip, named, to } from "./support/parts.js";

jest.setTimeout(90_000);

/** A generator of the minimal standard, so that a failure can be run again. */
const seeded = (seed: number) => (): number => {
  seed = (seed * 48_271) % 0x7fff_ffff;
  return seed / 0x7fff_ffff;
};

describe("a peer that means no good", () => {
  let fabric: TestFabric;
  let wire: AcmWire;
  let [h1, h2] = [] as unknown as [Resolver, Resolver];
  let counted = new Map<string, number>();
  beforeEach(async () => {
    fabric = await TestFabric.start({
      topology: twoLevel({ hosts: 3 }),
      addresses: ["H1 192.0.2.1/24", "H2 192.0.2.2/24"],
    });
    const config = { chains: { address: ["acm"], route: ["sa"] } };
    counted = new Map();
    const increment = (name: string, labels: Readonly<Record<string, string>> = {}): void => {
      const key = [name, labels["reason"]].filter(Boolean).join(" ");
      counted.set(key, (counted.get(key) ?? 0) + 1);
    };
    h1 = await fabric.host("H1", { config, metrics: { increment, observe: () => undefined } });
    h2 = await fabric.host("H2", { config });
    wire = await AcmWire.follow(fabric);
    // Both are in the group.
    await areWell();
  });
  afterEach(async () => {
    await wire[Symbol.asyncDispose]();
    await fabric[Symbol.asyncDispose]();
  });

  /** Whether hosts still find each other by asking. */
  const areWell = async (): Promise<void> => {
    for (const [from, name] of [
      [h2, "h1"],
      [h1, "h2"],
    ] as const) {
      from.engine.flush();
      expect((await from.resolve(name)).paths[0]?.dlid).toBe(await fabric.lid(name.toUpperCase()));
    }
  };

  it("or one that lists eight GIDs is answered with the group both have", async () => {
    const mad = requestMad(
      7n,
      to("h1"),
      named("raw3"),
      [BASE, 1, 2, 3, 4, 5].map((n) => (n === BASE ? BASE : Gid.from(BigInt(n)))),
    );
    mad[20] = 8;
    const answered = (tid: bigint) => wire.responsesOf("H1").filter((sent) => sent.mad.tid === tid);
    await wire.say("H3", mad);
    await eventually(() => expect(answered(7n).map((sent) => sent.mad.gids)).toEqual([[BASE]]));
    mad[20] = 255;
    mad[15] = 8;
    await wire.say("H3", mad);
    await eventually(() => expect(answered(8n).map((sent) => sent.mad.gids)).toEqual([[BASE]]));
    await areWell();
  });

  it("sends random and damaged datagrams: they are counted and dropped", async () => {
    const random = seeded(11);
    for (let n = 0; n < 300; n++) {
      const good = requestMad(BigInt(n), to("h1"), named("raw3"), [BASE]);
      const size = n % 3 === 0 ? 4 * Math.floor(random() * 512) : 256;
      const bytes = Buffer.alloc(size);
      good.copy(bytes);
      for (let i = 0; i < 1 + random() * 30; i++)
        if (size > 0) bytes[Math.floor(random() * size)] = Math.floor(random() * 256);
      await wire.say("H3", bytes);
    }
    await areWell();
    const dropped = [...counted].filter(([name]) => name.startsWith("verbena_acm_dropped_total"));
    expect(dropped.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(100);
    expect(dropped.map(([name]) => name)).toEqual(expect.arrayContaining(["verbena_acm_dropped_total length"]));
  });

  it("sends more bytes than a message has: the queue pair lives", async () => {
    await areWell();
    for (let n = 0; n < 20; n++) await wire.say("H3", Buffer.alloc(4096, 1));
    await eventually(() => expect(counted.get("verbena_acm_dropped_total length")).toBe(20));
    await areWell();
    await eventually(() => expect(wire.requestsOf("H1").length).toBeGreaterThanOrEqual(2));
    expect(new Set(wire.requestsOf("H1").map(({ deth }) => deth?.srcQpn)).size).toBe(1);
  });

  it("answers for others with transaction ids it has guessed: nobody believes it", async () => {
    const asked = h1.resolve("192.0.2.99", { deadlineMs: 1_500 }).catch((error: unknown) => error);
    await eventually(() => expect(wire.requestsOf("H1").length).toBeGreaterThan(0));
    const [request] = wire.requestsOf("H1");
    const there = { lid: await fabric.lid("H1"), gid: request?.grh?.sgid ?? Gid.zero, qpn: request?.deth?.srcQpn ?? 0 };
    for (let n = 1n; n <= 200n; n++) await wire.say("H3", responseMad((request?.mad.tid ?? 0n) + n, BASE), there);
    expect(await asked).toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
  });

  it("says to have our address: it is reported, and its claim is not learnt", async () => {
    await wire.say("H3", requestMad(7n, to("192.0.2.1"), ip("192.0.2.1"), [BASE]));
    await eventually(() => expect(counted.get("verbena_acm_duplicates_total")).toBe(1));
    expect(h1.endpoints()[0]?.duplicates).toMatchObject([
      { address: "192.0.2.1", first: await fabric.gid("H1"), second: await fabric.gid("H3") },
    ]);
    expect((await h1.resolve("192.0.2.1")).paths[0]?.dlid).toBe(await fabric.lid("H1"));
    await areWell();
  });

  it("floods us with requests: it gets 128 answers and then 64 a second, and others are served", async () => {
    const before = performance.now();
    for (let n = 0n; n < 600n; n++) await wire.say("H3", requestMad(n, to("h1"), named("raw3"), [BASE]));
    await areWell();
    const seconds = (performance.now() - before) / 1000;
    const there = await fabric.lid("H3");
    const answered = wire.responsesOf("H1").filter(({ lrh }) => lrh.dlid === there).length;
    expect(answered).toBeGreaterThanOrEqual(128);
    expect(answered).toBeLessThanOrEqual(128 + Math.ceil(64 * seconds));
  });
});
