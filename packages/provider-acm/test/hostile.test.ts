import type { Resolver } from "@verbena/core";
import { twoLevel } from "@verbena/fabric-sim";
import { decodeAcmMad, Gid, PKey } from "@verbena/ib";
import { ACM_QKEY } from "../src/groups/group-spec.js";
import { requestMad, responseMad } from "../src/protocol/messages.js";
import { AcmWire, type Forged } from "./support/acm-wire.js";
import { CountedProvider } from "./support/counted-provider.js";
import { eventually } from "./support/eventually.js";
import { TestFabric } from "./support/fabric.js";
import { addressLines, FAMILIES } from "./support/families.js";
import { BASE, ip, named, to } from "./support/parts.js";

jest.setTimeout(90_000);

/** A generator of the minimal standard, so that a failure can be run again. */
const seeded = (seed: number) => (): number => {
  seed = (seed * 48_271) % 0x7fff_ffff;
  return seed / 0x7fff_ffff;
};

/** Entries that a host keeps of each kind. */
const KEPT = 100;

describe("a peer that means no good", () => {
  let fabric: TestFabric;
  let wire: AcmWire;
  let [h1, h2] = [] as unknown as [Resolver, Resolver];
  let counted = new Map<string, number>();
  let provider: CountedProvider;
  beforeEach(async () => {
    fabric = await TestFabric.start({
      topology: twoLevel({ hosts: 3 }),
      addresses: addressLines([1, 2]),
    });
    const config = { chains: { address: ["acm"], route: ["sa"] } };
    counted = new Map();
    const increment = (name: string, labels: Readonly<Record<string, string>> = {}): void => {
      const key = [name, labels["reason"]].filter(Boolean).join(" ");
      counted.set(key, (counted.get(key) ?? 0) + 1);
    };
    provider = new CountedProvider();
    h1 = await fabric.host("H1", {
      config: { ...config, caches: { maxEntries: KEPT } },
      acm: { maxPeers: KEPT },
      metrics: { increment, observe: () => undefined },
      definition: provider.definition,
    });
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

  /** Has H1 ask for an address; gives its request, the way to who asked, and what becomes of the question. */
  const asking = async (address: string, deadlineMs = 1_000) => {
    const { destAddress } = decodeAcmMad(requestMad(0n, to(address), named("h1"), [BASE]));
    const requests = () => wire.requestsOf("H1").filter(({ mad }) => mad.destAddress.equals(destAddress));
    const before = requests().length;
    const outcome = h1.resolve(address, { deadlineMs }).catch((error: unknown) => error);
    await eventually(() => expect(requests().length).toBeGreaterThan(before));
    const request = requests().at(-1);
    const asker = { lid: await fabric.lid("H1"), gid: await fabric.gid("H1"), qpn: request?.deth?.srcQpn ?? 0 };
    return { tid: request?.mad.tid ?? 0n, to: asker, outcome };
  };

  it.each(FAMILIES)(
    "$family: answers for others with transaction ids it has guessed: nobody believes it, and it is counted",
    async ({ host }) => {
      const { tid, to, outcome } = await asking(host(99));
      for (let n = 1n; n <= 200n; n++) await wire.say("H3", responseMad(tid + n, BASE), { to });
      expect(await outcome).toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
      await eventually(() => expect(provider.counts()).toMatchObject({ unmatched: 200 }));
    },
  );

  it.each(FAMILIES)(
    "$family: knows the transaction id, but not the queue pair, its key or its partition: nothing reaches us",
    async ({ host }) => {
      const { tid, to, outcome } = await asking(host(99));
      const before = provider.counts();
      const forged: readonly Forged[] = [
        { to: { ...to, qpn: to.qpn + 1 } },
        { to: { ...to, qpn: 1 } },
        { to, qkey: ACM_QKEY + 1 },
        { to, pkey: PKey.from(0x8123) },
      ];
      for (const one of forged) await wire.say("H3", responseMad(tid, BASE), one);
      expect(await outcome).toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
      const { responsesHeard, unmatched, dropped } = provider.counts();
      expect({ responsesHeard, unmatched, dropped }).toMatchObject({
        responsesHeard: before.responsesHeard,
        unmatched: before.unmatched,
        dropped: before.dropped,
      });
      // The same from where it may come is believed: nothing but the key keeps a stranger from answering.
      const again = await asking(host(98), 30_000);
      await wire.say("H3", responseMad(again.tid, BASE), { to: again.to });
      expect(await again.outcome).toMatchObject({ paths: [{ dlid: await fabric.lid("H3") }] });
    },
  );

  it.each(FAMILIES)(
    "$family: answers from a queue pair or a GID that no datagram of the protocol comes from: it is dropped and counted",
    async ({ host }) => {
      const { tid, to, outcome } = await asking(host(99));
      const senders: readonly Omit<Forged, "to">[] = [
        { srcQpn: 0 },
        { srcQpn: 1 },
        { srcQpn: 0xff_ffff },
        { sgid: BASE },
        { sgid: Gid.zero },
      ];
      for (const sender of senders) await wire.say("H3", responseMad(tid, BASE), { to, ...sender });
      expect(await outcome).toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
      expect(counted.get("verbena_acm_dropped_total sender")).toBe(3);
      expect(counted.get("verbena_acm_dropped_total grh")).toBe(2);
    },
  );

  it.each(FAMILIES)("$family: sends damaged answers: none is believed", async ({ host }) => {
    const random = seeded(12);
    const byte = (): number => Math.floor(random() * 256);
    const { tid, to, outcome } = await asking(host(99));
    const right = responseMad(tid, BASE);
    for (let n = 0; n < 200; n++) {
      const bytes = Buffer.from(right);
      for (let i = 0; i < 20; i++) bytes[Math.floor(random() * 256)] = byte();
      // Who has the transaction id could answer without damage: one byte of it is never the right one.
      const at = 8 + (n % 8);
      bytes[at] = 0xff ^ (right[at] ?? 0);
      await wire.say("H3", bytes.subarray(0, n % 4 === 0 ? 4 * Math.floor(random() * 64) : 256), { to });
    }
    expect(await outcome).toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
    const { unmatched, dropped } = provider.counts();
    expect(unmatched + dropped).toBeGreaterThanOrEqual(150);
    await areWell();
  });

  it("says to be hundreds of hosts: no more of them are kept than there is room for", async () => {
    for (let n = 0; n < 4 * KEPT; n++) {
      const name = named(`none${String(n)}`);
      await wire.say("H3", requestMad(BigInt(n), to("nobody"), name, [BASE]), {
        sgid: Gid.of(Gid.linkLocalPrefix, 0x0002_c903_00ff_0000n + BigInt(n)),
      });
    }
    await eventually(() => expect(provider.counts().requestsHeard).toBeGreaterThanOrEqual(4 * KEPT));
    const learnt = h1.engine
      .cacheEntries()
      .filter(({ from, destination }) => from === "learned" && destination.includes("none"));
    expect(learnt.length).toBeGreaterThan(0);
    expect(learnt.length).toBeLessThanOrEqual(KEPT);
    await areWell();
  });

  it.each(FAMILIES)(
    "$family: says to have our address: it is reported, and its claim is not learnt",
    async ({ host }) => {
      await wire.say("H3", requestMad(7n, to(host(1)), ip(host(1)), [BASE]));
      await eventually(() => expect(counted.get("verbena_acm_duplicates_total")).toBe(1));
      expect(h1.endpoints()[0]?.duplicates).toMatchObject([
        { address: host(1), first: await fabric.gid("H1"), second: await fabric.gid("H3") },
      ]);
      expect((await h1.resolve(host(1))).paths[0]?.dlid).toBe(await fabric.lid("H1"));
      await areWell();
    },
  );

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
