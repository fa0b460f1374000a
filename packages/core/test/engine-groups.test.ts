/** Groups of an endpoint beside the SA's paths, both ways. */
import { decodePathRecord, emptyPathRecord, encodePathRecord, Gid, Lid, Mtu, type PathRecord, Rate } from "@verbena/ib";
import type { GroupCheck } from "../src/engine/contract.js";
import type { GroupStatus } from "../src/sdk/group.js";
import { type Bench, client, codeOf, gid, HOST, named, nodeGuid, startBench, toLid } from "./support/engine-bench.js";

const MGID = Gid.parse("ff15:4001:ffff:3:400::");
const GROUP: GroupStatus = {
  mgid: MGID,
  role: "base",
  state: "joined",
  rate: Rate.RATE_10,
  mtu: Mtu.MTU_2048,
  sl: 0,
  trafficClass: 0,
};

/** Of a port of 100 Gb/s. */
const FAST: GroupStatus = {
  ...GROUP,
  mgid: Gid.parse("ff15:4001:ffff:10:500::"),
  role: "preferred",
  rate: Rate.from(16),
  mtu: Mtu.MTU_4096,
};
const FAST_PROBLEMS = ["there", "back"].flatMap((way) => [
  `MTU 4096, but the path ${way} has 2048`,
  `100 Gb/s, but the path ${way} has 10 Gb/s`,
]);

/** An SA that says what `answer` does of each way; everything else as asked. */
async function rig(answer: (asked: PathRecord) => Partial<PathRecord> | number, groups = [GROUP]) {
  const bench = await startBench({}, ({ sa }) => {
    sa.handler = ({ mad }) => {
      const asked = decodePathRecord(mad.data);
      const said = answer(asked);
      if (typeof said === "number") return { type: "reply", status: said };
      const lids = asked.slid === 0 ? { slid: Lid.from(2), dlid: Lid.from(105) } : {};
      const rest = { reversible: true, mtu: Mtu.MTU_4096, rate: Rate.RATE_10 };
      return { type: "reply", records: [encodePathRecord(emptyPathRecord({ ...asked, ...lids, ...rest, ...said }))] };
    };
  });
  for (const session of bench.provider.endpoints) Object.assign(session, { groups: () => groups });
  return bench;
}

function check({ engine, clock }: Bench, destination = named("node5")): Promise<GroupCheck> {
  return clock.run(engine.checkGroups({ source: named("host1"), destination, client }));
}

describe("a comparison of groups with the SA", () => {
  it("asks for the way there and for the same way back, LIDs exchanged, and no route provider", async () => {
    const bench = await rig(() => ({}));
    const asked = bench.native.sa.queries.length;
    expect(await check(bench)).toMatchObject({
      destination: "node5",
      gid: gid(nodeGuid(5)),
      forward: { slid: 2, dlid: 105 },
      reverse: { slid: 105, dlid: 2, sgid: gid(nodeGuid(5)), dgid: gid(HOST) },
      groups: [{ mgid: MGID, role: "base", problems: [] }],
    });
    expect([bench.native.sa.queries.length - asked, bench.provider.routeQuestions.length]).toEqual([2, 0]);
    await bench.engine.close();
  });

  it("of a LID asks the SA whose it is, by any path, and tells of one that is not reversible", async () => {
    const bench = await rig(({ dgid, reversible }) => {
      if (reversible) return 0x0300;
      return { reversible: false, ...(dgid === Gid.zero ? { dgid: gid(nodeGuid(5)) } : {}) };
    });
    expect(await check(bench, toLid(105))).toMatchObject({
      gid: gid(nodeGuid(5)),
      groups: [{ problems: ["the path there is not reversible", "the path back is not reversible"] }],
    });
    await bench.engine.close();
  });

  it.each([
    ["knows nothing", 0x0300],
    ["gives no GID", {}],
  ] as const)("of a LID of which the SA %s ends as not known, and asks for no GID 0", async (_what, said) => {
    const bench = await rig(() => said);
    const asked = bench.native.sa.queries.length;
    expect(await codeOf(check(bench, toLid(105)))).toBe("VERBENA_RESOLVE_NO_DATA");
    expect(bench.native.sa.queries.length - asked).toBe(1);
    await bench.engine.close();
  });

  it("tells of an SL that differs on the way back alone", async () => {
    const bench = await rig(({ slid }) => (slid === 0 ? {} : { sl: 3 }));
    expect((await check(bench)).groups).toMatchObject([{ problems: ["SL 0, but the path back has SL 3"] }]);
    await bench.engine.close();
  });

  it("judges the group that the peer has said both are in, and tells of the others", async () => {
    const slow = await rig(() => ({ mtu: Mtu.MTU_2048 }), [GROUP, FAST]);
    slow.provider.address = () => Promise.resolve({ gid: gid(nodeGuid(5)), group: MGID });
    expect(await check(slow)).toMatchObject({
      group: MGID,
      groups: [{ problems: [] }, { mgid: FAST.mgid, problems: FAST_PROBLEMS }],
    });
    await slow.engine.close();
    const shared = await rig(() => ({ mtu: Mtu.MTU_2048 }), [GROUP, FAST]);
    shared.provider.address = () => Promise.resolve({ gid: gid(nodeGuid(5)), group: FAST.mgid });
    expect(await check(shared)).toMatchObject({ group: FAST.mgid });
    await shared.engine.close();
  });

  it.each([
    ["100 Gb/s", Rate.from(16), FAST.mgid],
    ["10 Gb/s", Rate.RATE_10, MGID],
    ["2.5 Gb/s, too slow for any", Rate.from(2), MGID],
  ])(
    "judges the most preferred that a path of %s carries where the peer has said nothing",
    async (_speed, rate, mgid) => {
      const bench = await rig(() => ({ rate }), [GROUP, FAST]);
      expect((await check(bench)).group).toBe(mgid);
      await bench.engine.close();
    },
  );

  it("asks whether the SA allows the level of a group that has one, and takes its word", async () => {
    const level = { ...GROUP, mgid: Gid.parse("ff15:4001:ffff:3:404::"), role: "preferred", sl: 4 } as const;
    const allowed = await rig(({ sl }) => ({ sl }), [GROUP, level]);
    expect(await check(allowed)).toMatchObject({ group: level.mgid, groups: [{}, { problems: [] }] });
    await allowed.engine.close();
    const refused = await rig(({ sl }) => (sl === 4 ? 0x0300 : {}), [GROUP, level]);
    expect((await check(refused)).groups[1]?.problems).toEqual([
      "SL 4, but the path there has SL 0",
      "SL 4, but the path back has SL 0",
    ]);
    await refused.engine.close();
  });

  it("leaves out groups that are not joined", async () => {
    const bench = await rig(() => ({}), [{ ...GROUP, state: "failed" }]);
    expect((await check(bench)).groups).toEqual([]);
    await bench.engine.close();
  });

  it("takes a refusal of the SA for no comparison, and its silence about a path for none", async () => {
    const refused = await rig(() => 0x0100);
    expect(await codeOf(check(refused))).toBe("VERBENA_RESOLVE_SA_STATUS");
    await refused.engine.close();
    const silent = await rig(({ slid }) => (slid === 0 ? {} : 0x0300));
    const found = await check(silent);
    expect(found).not.toHaveProperty("reverse");
    expect(found.groups).toMatchObject([{ problems: ["the SA knows no path back in partition 0xffff"] }]);
    await silent.engine.close();
  });
});
