import type { SaNotice } from "@verbena/core/sdk";
import { encodeNodeRecord, Gid, Guid, type Lid } from "@verbena/ib";
import { SaAddresses } from "../src/address/sa-addresses.js";
import { PORT, ScriptedSa, StandingClock } from "./sa-fake.js";

function nodeRecord(nodeDescription: string, lid: number): Buffer {
  return encodeNodeRecord({
    lid: lid as Lid,
    nodeDescription,
    nodeInfo: {
      baseVersion: 1,
      classVersion: 1,
      nodeType: 1,
      numPorts: 1,
      systemImageGuid: Guid.from(0x10n),
      nodeGuid: Guid.from(0x20n),
      portGuid: Guid.from(BigInt(0x1000 + lid)),
      partitionCap: 32,
      deviceId: 0,
      revision: 0,
      localPortNum: 1,
      vendorId: 0,
    },
  });
}

const named = (name: string) => ({ kind: "name", name, text: name }) as const;

describe("SaAddresses", () => {
  let sa: ScriptedSa;
  let clock: StandingClock;
  let addresses: SaAddresses;

  beforeEach(() => {
    sa = new ScriptedSa();
    sa.answer = () => ({ status: 0, records: [nodeRecord("node1 HCA-1", 1), nodeRecord("node2 HCA-1", 2)] });
    clock = new StandingClock();
    addresses = new SaAddresses(PORT, sa, clock, 60_000);
  });

  describe("after a notice", () => {
    const gid = (lid: number): Gid => Gid.of(Gid.linkLocalPrefix, BigInt(0x1000 + lid));
    const find = async (name: string): Promise<Gid | undefined> => (await addresses.resolveAddress(named(name)))?.gid;

    beforeEach(async () => {
      await find("node1");
      sa.queries.length = 0;
    });

    it("asks for a host that came by its port GUID alone, when its name is asked for", async () => {
      addresses.onNotice({ type: "gid-in", gid: gid(3) });
      sa.answer = () => ({ status: 0, records: [nodeRecord("node3 HCA-1", 3)] });
      expect(await find("node1")).toBe(gid(1));
      expect(sa.queries).toEqual([]);
      expect(await find("node3")).toBe(gid(3));
      // Bit 8 of the mask is PortGUID (IBA 15.2.5.2).
      expect(sa.queries).toMatchObject([{ method: "get", attributeId: 0x11, componentMask: 0x100n }]);
      expect(await find("node3")).toBe(gid(3));
      expect(sa.queries).toHaveLength(1);
    });

    it("knows a host that left no more, and no query was needed for that", async () => {
      addresses.onNotice({ type: "gid-out", gid: gid(2) });
      sa.answer = () => ({ status: 0, records: [nodeRecord("node1 HCA-1", 1)] });
      expect(await find("node2")).toBeUndefined();
      expect(sa.queries).toEqual([]);
    });

    it("takes the new name of a port that has changed", async () => {
      addresses.onNotice({ type: "local-change", lid: 2 as Lid, gid: gid(2) });
      sa.answer = () => ({ status: 0, records: [nodeRecord("login HCA-1", 2)] });
      expect(await find("login")).toBe(gid(2));
      expect(sa.queries).toHaveLength(1);
      expect(await find("node2")).toBeUndefined();
    });

    it("fetches the table once when very many hosts came", async () => {
      for (let n = 3; n < 103; n += 1) addresses.onNotice({ type: "gid-in", gid: gid(n) });
      sa.answer = () => ({ status: 0, records: [nodeRecord("node50 HCA-1", 50)] });
      clock.advance(1_000);
      expect(await find("node50")).toBe(gid(50));
      expect(sa.queries).toMatchObject([{ method: "getTable" }]);
    });

    it("does not believe a table about what was reported while it was on its way", async () => {
      addresses.forget();
      let arrive: () => void = () => undefined;
      const onItsWay = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      const { query } = sa;
      sa.query = (asked) =>
        asked.method === "getTable" ? onItsWay.then(() => query.call(sa, asked)) : query.call(sa, asked);
      const waiting = find("node2");
      addresses.onNotice({ type: "gid-in", gid: gid(2) });
      arrive();
      sa.answer = ({ method }) => ({
        status: 0,
        records: [nodeRecord(method === "get" ? "renamed HCA-1" : "node2 HCA-1", 2)],
      });
      expect(await waiting).toBeUndefined();
      expect(sa.queries.map(({ method }) => method)).toEqual(["getTable", "get"]);
    });
  });

  it("finds host names in one table of all nodes, as GIDs: LIDs change", async () => {
    const answers = await Promise.all([
      addresses.resolveAddress(named("node1")),
      addresses.resolveAddress(named("node2")),
    ]);
    expect(answers).toEqual([{ gid: Gid.parse("fe80::1001") }, { gid: Gid.parse("fe80::1002") }]);
    expect(sa.queries).toMatchObject([{ method: "getTable", attributeId: 0x0011, componentMask: 0n }]);
  });

  it("looks in a fresh table for a name that is new, but not for every unknown name again", async () => {
    await expect(addresses.resolveAddress(named("node3"))).resolves.toBeUndefined();
    await expect(addresses.resolveAddress(named("node3"))).resolves.toBeUndefined();
    expect(sa.queries).toHaveLength(1);
    sa.answer = () => ({ status: 0, records: [nodeRecord("node3 HCA-1", 3)] });
    clock.advance(1000);
    await expect(addresses.resolveAddress(named("node3"))).resolves.toEqual({ gid: Gid.parse("fe80::1003") });
    expect(sa.queries).toHaveLength(2);
  });

  describe("asked each second for a name that nobody has", () => {
    const find = async (name: string): Promise<Gid | undefined> => (await addresses.resolveAddress(named(name)))?.gid;
    const fetchedAt: number[] = [];

    /** Asks each second, from now on, and says when the name was found. */
    async function poll(name: string, seconds: number): Promise<number | undefined> {
      for (let n = 0; n < seconds; n += 1) {
        if ((await find(name)) !== undefined) return clock.now();
        clock.advance(1_000);
      }
      return undefined;
    }

    beforeEach(() => {
      fetchedAt.length = 0;
      const { answer } = sa;
      sa.answer = (query) => {
        if (query.method === "getTable") fetchedAt.push(clock.now());
        return answer(query);
      };
    });

    it("fetches the table after 1, 2, 4, 8 and 16 seconds, then twice a minute", async () => {
      expect(await poll("tpyo", 600)).toBeUndefined();
      const at = [0, 1, 3, 7, 15, 31, 61, 91, 121].map((seconds) => seconds * 1_000);
      expect(fetchedAt.slice(0, at.length)).toEqual(at);
      expect(fetchedAt).toHaveLength(24);
    });

    it("finds a host that appears within half a minute, also without a notice, and looks soon for the next one", async () => {
      await poll("node3", 100);
      sa.answer = () => ({ status: 0, records: [nodeRecord("node3 HCA-1", 3)] });
      expect(await poll("node3", 60)).toBeLessThanOrEqual(130_000);
      clock.advance(1_000);
      sa.answer = () => ({ status: 0, records: [nodeRecord("node4 HCA-1", 4)] });
      expect(await find("node4")).toBe(Gid.parse("fe80::1004"));
    });

    it("finds a host at once when a notice tells of its port", async () => {
      await poll("node3", 100);
      fetchedAt.length = 0;
      addresses.onNotice({ type: "gid-in", gid: Gid.parse("fe80::1003") });
      sa.answer = ({ method }) => ({ status: 0, records: method === "get" ? [nodeRecord("node3 HCA-1", 3)] : [] });
      expect(await find("node3")).toBe(Gid.parse("fe80::1003"));
      expect(fetchedAt).toEqual([]);
    });

    it.each<[string, readonly SaNotice[]]>([
      ["a port without its GID", [{ type: "local-change", lid: 3 as Lid, gid: Gid.zero }]],
      [
        "more ports than are asked for singly",
        Array.from({ length: 17 }, (_, n) => ({ type: "gid-in" as const, gid: Gid.parse(`fe80::20${n + 10}`) })),
      ],
    ])("finds a host in the next table when notices tell of %s", async (_what, notices) => {
      await poll("node3", 105);
      for (const notice of notices) addresses.onNotice(notice);
      sa.answer = () => ({ status: 0, records: [nodeRecord("node3 HCA-1", 3)] });
      expect(await find("node3")).toBe(Gid.parse("fe80::1003"));
    });
  });

  it("looks for every name that is missing at one moment in one fresh table", async () => {
    await addresses.resolveAddress(named("node1"));
    clock.advance(1_000);
    sa.answer = () => ({ status: 0, records: [nodeRecord("node3 HCA-1", 3), nodeRecord("node4 HCA-1", 4)] });
    const both = await Promise.all(["node3", "node4"].map((name) => addresses.resolveAddress(named(name))));
    expect(both).toEqual([{ gid: Gid.parse("fe80::1003") }, { gid: Gid.parse("fe80::1004") }]);
    expect(sa.queries).toHaveLength(2);
  });

  it("answers GIDs and LIDs with themselves and leaves IP addresses to others", async () => {
    const gid = Gid.parse("fe80::1234");
    await expect(addresses.resolveAddress({ kind: "gid", gid, text: "" })).resolves.toEqual({ gid });
    await expect(addresses.resolveAddress({ kind: "lid", lid: 7 as Lid, text: "" })).resolves.toEqual({ lid: 7 });
    expect(sa.queries).toHaveLength(0);
  });

  it("asks again after a failed table", async () => {
    sa.answer = () => ({ status: 0x0100, records: [] });
    await expect(addresses.resolveAddress(named("node1"))).rejects.toMatchObject({
      code: "VERBENA_PROVIDER_SA_STATUS",
    });
    sa.answer = () => ({ status: 0, records: [nodeRecord("node1 HCA-1", 1)] });
    await expect(addresses.resolveAddress(named("node1"))).resolves.toEqual({ gid: Gid.parse("fe80::1001") });
  });
});
