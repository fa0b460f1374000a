import type { Endpoint, ResolveContext, RouteQuery } from "@verbena/core/sdk";
import { emptyPathRecord, encodePathRecord, Gid, type Lid, type PathRecord, PKey } from "@verbena/ib";
import { PortPaths } from "../src/route/port-paths.js";
import { SaRoutes } from "../src/route/sa-routes.js";
import { PORT, ScriptedSa, SGID, StandingClock } from "./sa-fake.js";

const endpoint: Endpoint = { key: "sim0/1/0xffff", port: PORT, pkey: PKey.DEFAULT, pkeyIndex: 0, addresses: [] };
const dgid = (n: number): Gid => Gid.of(Gid.linkLocalPrefix, 0x1000n + BigInt(n));
const query = (fields: Partial<RouteQuery> = {}): RouteQuery => ({
  endpoint,
  sgid: SGID,
  pkey: PKey.DEFAULT,
  reversible: false,
  maxPaths: 1,
  ...fields,
});
const context: ResolveContext = {
  endpoint,
  signal: new AbortController().signal,
  deadline: 1000,
  requestId: "r-1",
  generation: 1,
  noDelay: false,
  learn: () => undefined,
};
const path = (n: number): PathRecord =>
  emptyPathRecord({ sgid: SGID, dgid: dgid(n), slid: 1 as Lid, dlid: n as Lid, pkey: PKey.DEFAULT, reversible: true });

describe("SaRoutes", () => {
  let sa: ScriptedSa;
  let clock: StandingClock;

  beforeEach(() => {
    sa = new ScriptedSa();
    clock = new StandingClock();
  });

  it("asks with the component mask ibacm uses for a path by DGID: DGID, SGID, SLID, P_Key", async () => {
    sa.answer = () => ({ status: 0, records: [encodePathRecord(path(5))] });
    const answer = await new SaRoutes(sa, undefined).resolveRoute(query({ dgid: dgid(5), slid: 1 as Lid }), context);
    expect(sa.queries).toMatchObject([
      { method: "get", attributeId: 0x0035, componentMask: 0x202cn, requestId: "r-1" },
    ]);
    expect(answer).toEqual({ paths: [path(5)] });
  });

  it("asks with the mask for a path by DLID: SGID, DLID, SLID, P_Key", async () => {
    await new SaRoutes(sa, undefined).resolveRoute(query({ dlid: 5 as Lid, slid: 1 as Lid }), context);
    expect(sa.queries[0]?.componentMask).toBe(0x2038n);
  });

  it("puts every further wish into the mask", async () => {
    const wishes = { serviceId: 7n, trafficClass: 3, qosClass: 2, sl: 1, reversible: true, maxPaths: 4 };
    await new SaRoutes(sa, undefined).resolveRoute(query({ dgid: dgid(5), ...wishes }), context);
    // 0+1 service id, 2 DGID, 3 SGID, 10 TClass, 11 reversible, 12 number of paths, 13 P_Key, 14 QoS class, 15 SL
    expect(sa.queries[0]).toMatchObject({ method: "getTable", componentMask: 0xfc0fn });
  });

  it("knows nothing when the SA has no records, and fails with the status otherwise", async () => {
    const routes = new SaRoutes(sa, undefined);
    sa.answer = () => ({ status: 0x0300, records: [] });
    await expect(routes.resolveRoute(query({ dgid: dgid(5) }), context)).resolves.toBeUndefined();
    sa.answer = () => ({ status: 0x0200, records: [] });
    await expect(routes.resolveRoute(query({ dgid: dgid(5) }), context)).rejects.toMatchObject({
      code: "VERBENA_PROVIDER_SA_STATUS",
      details: { saStatus: 0x0200 },
    });
  });

  describe("with prefetch", () => {
    let routes: SaRoutes;
    let prefetched: PortPaths;

    beforeEach(() => {
      prefetched = new PortPaths(PORT, sa, clock, 1000);
      routes = new SaRoutes(sa, prefetched);
      sa.answer = ({ method }) => ({
        status: 0,
        records: method === "getTable" ? [2, 3, 4].map((n) => encodePathRecord(path(n))) : [encodePathRecord(path(9))],
      });
    });

    it("answers every pair from one table", async () => {
      const found = await Promise.all(
        [2, 3, 4].map((n) => routes.resolveRoute(query({ dgid: dgid(n), slid: 1 as Lid }), context)),
      );
      expect(found.map((answer) => answer?.paths[0]?.dlid)).toEqual([2, 3, 4]);
      await expect(routes.resolveRoute(query({ dlid: 3 as Lid }), context)).resolves.toEqual({ paths: [path(3)] });
      expect(sa.queries.map(({ method }) => method)).toEqual(["getTable"]);
    });

    it("asks singly for what the table cannot say", async () => {
      await routes.resolveRoute(query({ dgid: dgid(9) }), context);
      await routes.resolveRoute(query({ dgid: dgid(2), sl: 3 }), context);
      expect(sa.queries.map(({ method }) => method)).toEqual(["getTable", "get", "get"]);
    });

    it("fetches again after the time to live and after a change", async () => {
      await routes.resolveRoute(query({ dgid: dgid(2) }), context);
      clock.advance(1000);
      await routes.resolveRoute(query({ dgid: dgid(2) }), context);
      prefetched.forget();
      await routes.resolveRoute(query({ dgid: dgid(2) }), context);
      expect(sa.queries).toHaveLength(3);
    });

    it("asks singly for what a notice was about, and only when somebody asks", async () => {
      await routes.resolveRoute(query({ dgid: dgid(2) }), context);
      prefetched.onNotice({ type: "gid-in", gid: dgid(3) });
      prefetched.onNotice({ type: "local-change", lid: 4 as Lid, gid: Gid.zero });
      expect(sa.queries).toHaveLength(1);
      sa.answer = () => ({ status: 0, records: [encodePathRecord({ ...path(3), dlid: 33 as Lid })] });
      const moved = await routes.resolveRoute(query({ dgid: dgid(3) }), context);
      expect(moved?.paths[0]?.dlid).toBe(33);
      await routes.resolveRoute(query({ dgid: dgid(4) }), context);
      await routes.resolveRoute(query({ dgid: dgid(2) }), context);
      expect(sa.queries.map(({ method }) => method)).toEqual(["getTable", "get", "get"]);
    });

    it("does not believe a table about what was reported while it was on its way", async () => {
      const waiting = routes.resolveRoute(query({ dgid: dgid(3) }), context);
      prefetched.onNotice({ type: "gid-in", gid: dgid(3) });
      expect((await waiting)?.paths[0]?.dlid).toBe(9);
      expect(sa.queries.map(({ method }) => method)).toEqual(["getTable", "get"]);
    });

    it("fetches the table again when very many of its entries have gone", async () => {
      sa.answer = () => ({
        status: 0,
        records: Array.from({ length: 100 }, (_, n) => encodePathRecord(path(n + 2))),
      });
      await routes.resolveRoute(query({ dgid: dgid(2) }), context);
      clock.advance(900);
      for (let n = 2; n < 82; n += 1) prefetched.onNotice({ type: "gid-out", gid: dgid(n) });
      await routes.resolveRoute(query({ dgid: dgid(90) }), context);
      expect(sa.queries).toHaveLength(1);
      const lasting = new PortPaths(PORT, sa, clock, 600_000);
      await lasting.find(query({ dgid: dgid(2) }));
      clock.advance(10_000);
      for (let n = 2; n < 82; n += 1) lasting.onNotice({ type: "gid-out", gid: dgid(n) });
      await lasting.find(query({ dgid: dgid(90) }));
      expect(sa.queries.map(({ method }) => method)).toEqual(["getTable", "getTable", "getTable"]);
    });

    it("goes on singly when the table is refused", async () => {
      sa.answer = ({ method }) =>
        method === "getTable" ? { status: 0x0100, records: [] } : { status: 0, records: [encodePathRecord(path(2))] };
      await expect(routes.resolveRoute(query({ dgid: dgid(2) }), context)).resolves.toEqual({ paths: [path(2)] });
    });
  });
});
