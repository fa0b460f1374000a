import type { SaQuery, SaResponse } from "@verbena/core/sdk";
import { VirtualClock } from "@verbena/core/testing";
import { encodeMcMemberRecord, type Gid, type Lid, Mtu, PKey, Rate } from "@verbena/ib";
import { BASE, gidOf, granted } from "../../test/support/parts.js";
import { GroupMember } from "./group-member.js";
import { groupSpec } from "./group-spec.js";

function rig(leaving?: Promise<void>) {
  const clock = new VirtualClock();
  const queries: { readonly query: SaQuery; readonly answer: (response: SaResponse | Error) => void }[] = [];
  const changes: (number | undefined)[] = [];
  const warnings: string[] = [];
  const held = new Set<Gid>();
  const none = (): void => undefined;
  const logger = {
    debug: none,
    info: none,
    error: none,
    warn: (text: string) => warnings.push(text),
    child: () => logger,
  };
  const member = new GroupMember({
    spec: groupSpec("base", PKey.DEFAULT, { rate: Rate.RATE_10, mtu: Mtu.MTU_2048 }),
    portGid: gidOf(1),
    sa: {
      query: (query) =>
        new Promise((resolve, reject) => {
          const answer = (response: SaResponse | Error): void => {
            if (response instanceof Error) reject(response);
            else resolve(response);
          };
          queries.push({ query, answer });
        }),
    },
    memberships: {
      hold: (mgid) => {
        held.add(mgid);
        return () => held.delete(mgid);
      },
      leaving: () => leaving,
    },
    clock,
    random: () => 0,
    logger,
    onChange: ({ record }) => changes.push(record?.mlid),
  });
  const grant = (mlid = 0xc001): SaResponse => ({
    status: 0,
    records: [encodeMcMemberRecord(granted(BASE, { mlid: mlid as Lid }))],
  });
  const refuse = (status: number): SaResponse => ({ status, records: [encodeMcMemberRecord(granted(BASE))] });
  member.start();
  return { clock, queries, changes, warnings, held, member, grant, refuse };
}

describe("the membership in a group", () => {
  it("begins when the SA grants it, with the MLID it says", async () => {
    const { queries, member, clock, changes, grant } = rig();
    expect(member.state).toBe("joining");
    queries[0]?.answer(grant(0xc007));
    await clock.settle();
    expect([member.state, member.record?.mlid, changes]).toEqual(["joined", 0xc007, [0xc007]]);
    expect(clock.pending).toBe(0);
  });

  it("is asked for when the port is no longer just being taken out of the group", async () => {
    let over: () => void = () => undefined;
    const { queries, member, held, clock } = rig(
      new Promise((resolve) => {
        over = resolve;
      }),
    );
    await clock.settle();
    expect([held.has(BASE), queries.length]).toEqual([true, 0]);
    over();
    await clock.settle();
    expect(queries).toHaveLength(1);
    member.close();
  });

  it("that is refused is asked for again after 1, 2, 4 … 60 seconds, and reported once", async () => {
    const { queries, member, clock, warnings, refuse, grant } = rig();
    const at: number[] = [];
    for (let n = 0; n < 9; n++) {
      at.push(clock.now());
      queries[n]?.answer(refuse(0x0200));
      await clock.settle();
      expect([member.state, member.record]).toEqual(["failed", undefined]);
      await clock.run(
        new Promise<void>((resolve) => clock.schedule([1, 2, 4, 8, 16, 32, 60, 60, 60][n]! * 1000, resolve)),
      );
    }
    expect(at.map((ms) => ms / 1000)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    expect(warnings).toHaveLength(1);
    expect(member.problem).toContain("status 0x0200");
    queries[9]?.answer(grant());
    await clock.settle();
    expect([member.state, member.problem]).toEqual(["joined", undefined]);
  });

  it("that is not answered is asked for again too", async () => {
    const { queries, member, clock, grant } = rig();
    queries[0]?.answer(new Error("the SA is silent"));
    await clock.advance(1000);
    queries[1]?.answer(grant());
    await clock.settle();
    expect(member.state).toBe("joined");
  });

  it("stands while it is renewed, and takes another MLID", async () => {
    const { queries, member, clock, changes, grant } = rig();
    queries[0]?.answer(grant());
    await clock.settle();
    member.renew();
    expect([member.state, queries.length]).toEqual(["joined", 2]);
    queries[1]?.answer(grant(0xc002));
    await clock.settle();
    expect(changes).toEqual([0xc001, 0xc002]);
  });

  it("is lost when its renewal is refused", async () => {
    const { queries, member, clock, changes, grant, refuse } = rig();
    queries[0]?.answer(grant());
    await clock.settle();
    member.renew();
    queries[1]?.answer(refuse(0x0100));
    await clock.settle();
    expect([member.state, changes]).toEqual(["failed", [0xc001, undefined]]);
  });

  it("follows the last question: an older answer counts for nothing", async () => {
    const { queries, member, clock, changes, grant, refuse } = rig();
    member.renew();
    queries[0]?.answer(refuse(0x0200));
    queries[1]?.answer(grant());
    await clock.settle();
    expect([member.state, changes]).toEqual(["joined", [0xc001]]);
    expect(queries[0]?.query.signal?.aborted).toBe(true);
  });

  it("is not begun by an answer about another group, or about none", async () => {
    const { queries, member, clock } = rig();
    queries[0]?.answer({ status: 0, records: [encodeMcMemberRecord(granted(gidOf(3)))] });
    await clock.settle();
    expect(member.state).toBe("failed");
    await clock.advance(1000);
    queries[1]?.answer({ status: 0, records: [] });
    await clock.settle();
    expect(member.state).toBe("failed");
  });

  it("asks no more once it is closed", async () => {
    const { queries, member, clock, changes, grant } = rig();
    member.close();
    queries[0]?.answer(grant());
    await clock.advance(100_000);
    expect([queries.length, changes, clock.pending]).toEqual([1, [], 0]);
  });
});

test("a group is held from the first question on until it is closed, joined or not, and never left by itself", () => {
  const { held, member, queries } = rig();
  expect([...held]).toEqual([BASE]);
  member.close();
  expect(held.size).toBe(0);
  expect(queries.map(({ query }) => query.method)).toEqual(["set"]);
});
