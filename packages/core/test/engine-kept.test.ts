/** Addresses over a change of the subnet manager: whose a name is no manager decides. */
import { emptyPathRecord, Gid, Lid } from "@verbena/ib";
import type { AddressAnswer } from "../src/sdk/route.js";
import { FakeProvider } from "../src/testing/index.js";
import {
  ask,
  type Bench,
  client,
  codeOf,
  gid,
  named,
  nodeGuid,
  routeBySa,
  startBench,
} from "./support/engine-bench.js";

const TTL_MS = 600_000;

describe("engine: an address when the subnet manager has changed", () => {
  /** A provider that answers as told, once it has been told. */
  async function setUp(answer: AddressAnswer = { gid: gid(nodeGuid(7)), lid: Lid.from(999), hint: "by way of 999" }) {
    const bench = await startBench({ addressTtlMs: TTL_MS, refreshShare: 0, notices: false });
    const asked: string[] = [];
    const answering = (how: (to: string) => Promise<AddressAnswer | undefined>): void => {
      bench.provider.address = ({ text }) => {
        asked.push(text);
        return how(text);
      };
    };
    answering(() => Promise.resolve(answer));
    const seen = async (to = "service") => {
      const { paths, provenance } = await bench.clock.run(ask(bench, to));
      return { dlid: paths[0]?.dlid, ...provenance.address };
    };
    await seen();
    asked.length = 0;
    return { bench, asked, answering, seen };
  }

  async function changeSm({ native, clock }: Bench, lid = 33): Promise<void> {
    native.changeSm("sim0", 1, Lid.from(lid));
    await clock.settle();
  }

  /** A peer has another LID, or none. */
  function move({ native: { sa } }: Bench, n: number, lid?: number): void {
    const at = sa.peers.findIndex(({ guid }) => guid === nodeGuid(n));
    sa.peers.splice(at, 1, ...(lid === undefined ? [] : [{ guid: nodeGuid(n), lid: Lid.from(lid) }]));
  }

  const silence = (): Promise<never> => new Promise(() => undefined);
  const KEPT = { dlid: 107, provider: "fake", from: "cache", isUnconfirmed: true };

  it("is served at once by a new path to its GID, and confirmed behind the answer", async () => {
    const { bench, asked, seen } = await setUp();
    await changeSm(bench);
    move(bench, 7, 207);
    expect(asked).toEqual([]);
    expect(await seen()).toEqual({ ...KEPT, dlid: 207 });
    expect(asked).toEqual(["service"]);
    expect(await seen()).toEqual({ dlid: 207, provider: "fake", from: "cache" });
    expect(bench.native.sa.queries.map(({ to }) => to.lid)).toEqual([1, 33]);
    // What was noted beside the address went with the manager that it came from.
    expect(bench.provider.routeQuestions.map(({ query }) => query.hint)).toEqual(["by way of 999", undefined]);
    await bench.engine.close();
  });

  it("is the new owner's as soon as that answers, be it while the path to the old one is sought", async () => {
    const { bench, asked, answering, seen } = await setUp();
    await changeSm(bench);
    answering(() => Promise.resolve({ gid: gid(nodeGuid(8)) }));
    expect(await seen()).toEqual({ dlid: 108, provider: "fake", from: "cache" });
    expect(asked).toEqual(["service"]);
    await bench.engine.close();
  });

  it("is the new owner's too when he answers before it is known that no path leads to the old one", async () => {
    const { bench, asked, answering, seen } = await setUp();
    await changeSm(bench);
    move(bench, 7);
    answering(() => Promise.resolve({ gid: gid(nodeGuid(8)) }));
    expect(await seen()).toMatchObject({ dlid: 108 });
    expect(asked).toEqual(["service"]);
    await bench.engine.close();
  });

  it("stays through silence until its own life ends, and is asked for at growing distances", async () => {
    const { bench, asked, answering, seen } = await setUp();
    const endsAt = bench.clock.now() + TTL_MS;
    await changeSm(bench);
    answering(silence);
    while (bench.clock.now() < endsAt - 20_000) {
      expect(await seen()).toEqual(KEPT);
      await bench.clock.advance(5_000);
    }
    // After 6 s of silence each, and then 10, 22, 44 … s.
    expect(asked.length).toBeGreaterThan(4);
    expect(asked.length).toBeLessThan(9);
    await bench.clock.advance(25_000);
    expect(await bench.clock.run(codeOf(ask(bench, "service")))).toBe("VERBENA_RESOLVE_TIMEOUT");
    await bench.engine.close();
  });

  it("is dropped when everybody says that he does not know it", async () => {
    const { bench, answering, seen } = await setUp();
    await changeSm(bench);
    answering(() => Promise.resolve(undefined));
    expect(await seen()).toEqual(KEPT);
    expect(await bench.clock.run(codeOf(ask(bench, "service")))).toBe("VERBENA_RESOLVE_NO_DATA");
    await bench.engine.close();
  });

  it("stays when only those say so who did not find it either", async () => {
    const finder = new FakeProvider();
    const other = new FakeProvider();
    finder.address = () => Promise.resolve({ gid: gid(nodeGuid(7)) });
    other.address = () => Promise.resolve(undefined);
    other.route = (query, context, services) => routeBySa(query, context.signal, services);
    const bench = await startBench({
      notices: false,
      providers: new Map([
        ["finder", finder],
        ["other", other],
      ]),
      chains: { address: ["finder", "other"], route: ["other"] },
    });
    const provenanceOf = async () => (await bench.clock.run(ask(bench, "service"))).provenance.address;
    await provenanceOf();
    await changeSm(bench);
    finder.endpoints[0]?.setState("failed");
    for (let n = 0; n < 3; n += 1) {
      expect(await provenanceOf()).toEqual({ provider: "finder", from: "cache", isUnconfirmed: true });
      await bench.clock.advance(30_000);
    }
    await bench.engine.close();
  });

  it("that leads nowhere any more is waited for until it is confirmed", async () => {
    const { bench, answering, seen } = await setUp();
    await changeSm(bench);
    move(bench, 7);
    answering(async () => {
      await new Promise<void>((resolve) => bench.clock.schedule(100, resolve));
      return { gid: gid(nodeGuid(8)) };
    });
    expect(await seen()).toEqual({ dlid: 108, provider: "fake", from: "provider" });
    await bench.engine.close();
  });

  it("that leads nowhere until it is confirmed gets a path then, whatever was remembered of its route", async () => {
    const { bench, asked, answering, seen } = await setUp();
    await changeSm(bench);
    move(bench, 7);
    answering(async () => {
      await new Promise<void>((resolve) => bench.clock.schedule(100, resolve));
      bench.native.sa.peers.push({ guid: nodeGuid(7), lid: Lid.from(307) });
      return { gid: gid(nodeGuid(7)) };
    });
    expect(await seen()).toEqual({ dlid: 307, provider: "fake", from: "provider" });
    expect(asked).toEqual(["service"]);
    await bench.engine.close();
  });

  it("that was confirmed while a path was sought in vain is not asked for again, only its path is", async () => {
    const { bench, asked, answering, seen } = await setUp();
    await changeSm(bench);
    answering(() => Promise.resolve({ gid: gid(nodeGuid(7)) }));
    let tries = 0;
    bench.provider.route = async (query, { signal }, services) => {
      if (++tries > 1) return routeBySa(query, signal, services);
      await new Promise<void>((resolve) => bench.clock.schedule(100, resolve));
      return undefined;
    };
    expect(await seen()).toEqual({ dlid: 107, provider: "fake", from: "cache" });
    expect(asked).toEqual(["service"]);
    await bench.engine.close();
  });

  it("is forgotten when its GID is of another subnet than the port, or when it had none", async () => {
    const elsewhere = Gid.of(0xfec0_0000_0000_0001n, nodeGuid(7));
    for (const answer of [{ gid: elsewhere }, { lid: Lid.from(107) }]) {
      const { bench, asked } = await setUp({ gid: gid(nodeGuid(7)) });
      bench.provider.address = () => Promise.resolve(answer);
      bench.provider.route = ({ dgid, dlid }) =>
        Promise.resolve({ paths: [emptyPathRecord({ dgid: dgid ?? Gid.zero, dlid: dlid ?? Lid.from(107) })] });
      await bench.clock.run(ask(bench, "other"));
      expect(bench.engine.cacheEntries().some(({ destination }) => destination === "other")).toBe(true);
      await changeSm(bench);
      expect(bench.engine.cacheEntries().filter(({ from }) => from !== "local")).toMatchObject([
        { destination: "service", cache: "address", isUnconfirmed: true },
      ]);
      expect(asked).toEqual([]);
      await bench.engine.close();
    }
  });

  it("of a complete path keeps the GID alone", async () => {
    const path = emptyPathRecord({ dgid: gid(nodeGuid(7)), dlid: Lid.from(999) });
    const { bench, answering, seen } = await setUp({ path });
    expect((await seen()).dlid).toBe(999);
    await changeSm(bench);
    answering(silence);
    expect(await seen()).toEqual(KEPT);
    await bench.engine.close();
  });

  it("goes with its port, and with a flush; failures and paths go with the manager", async () => {
    const { bench, asked, seen } = await setUp();
    await changeSm(bench);
    expect(bench.engine.cacheEntries().filter(({ from }) => from !== "local")).toHaveLength(1);
    bench.engine.flush();
    expect(await seen()).toMatchObject({ from: "provider" });
    await changeSm(bench, 34);
    bench.native.linkDown("sim0", 1);
    bench.native.linkUp("sim0", 1);
    await bench.clock.settle();
    expect(await seen()).toMatchObject({ from: "provider" });
    expect(asked).toEqual(["service", "service"]);
    await bench.engine.close();
  });

  it("is called kept by an explanation", async () => {
    const { bench, answering } = await setUp();
    await changeSm(bench);
    answering(silence);
    const explanation = bench.engine.explain({ source: named("host1"), destination: named("service"), client });
    expect((await bench.clock.run(explanation)).steps[1]).toMatchObject({
      step: "address",
      cache: "kept",
      provider: "fake",
      providers: [],
    });
    await bench.engine.close();
  });

  it("survives a second change, in doubt since the first", async () => {
    const { bench, asked, answering, seen } = await setUp();
    answering(silence);
    await changeSm(bench);
    expect(await seen()).toEqual(KEPT);
    await changeSm(bench, 34);
    expect(await seen()).toEqual(KEPT);
    expect(asked).toEqual(["service", "service"]);
    await bench.engine.close();
  });
});
