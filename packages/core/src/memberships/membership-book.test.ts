import { decodeMcMemberRecord, Gid, JoinState, SaAttribute } from "@verbena/ib";
import type { SaQuery, SaService } from "../sdk/services.js";
import { VirtualClock } from "../testing/index.js";
import { MembershipBook } from "./membership-book.js";

const PORT = Gid.parse("fe80::2:c903:0:1");
const OTHER = Gid.parse("fe80::2:c903:0:2");
const GROUP = Gid.parse("ff15:4001:ffff:3:400::");
const GRACE_MS = 10_000;

function rig() {
  const clock = new VirtualClock();
  const left: SaQuery[] = [];
  const sa: SaService = {
    query: (query) => {
      left.push(query);
      return Promise.reject(new Error("silent"));
    },
  };
  return { clock, left, sa, book: new MembershipBook() };
}

describe("a group on a port", () => {
  it("is left when nobody has used it for ten seconds: MGID, port GID and full membership", async () => {
    const { clock, left, sa, book } = rig();
    const { forProviders } = book.open(PORT, sa, clock);
    const [first, second] = [forProviders.hold(GROUP), forProviders.hold(GROUP)];
    first();
    first();
    await clock.advance(2 * GRACE_MS);
    expect(left).toEqual([]);
    second();
    await clock.advance(GRACE_MS - 1);
    expect(left).toEqual([]);
    await clock.advance(1);
    expect(left).toMatchObject([
      { method: "delete", attributeId: SaAttribute.MC_MEMBER_RECORD, componentMask: 0x10003n },
    ]);
    expect(decodeMcMemberRecord(Buffer.from(left[0]!.record))).toMatchObject({
      mgid: GROUP,
      portGid: PORT,
      joinState: JoinState.FULL_MEMBER,
    });
    await clock.advance(10 * GRACE_MS);
    expect(left).toHaveLength(1);
  });

  it("is not left while another engine of the process uses it, whichever closes first", async () => {
    const { clock, left, sa, book } = rig();
    const [old, next] = [book.open(PORT, sa, clock), book.open(PORT, { ...sa }, clock)];
    const [byOld, byNext] = [old.forProviders.hold(GROUP), next.forProviders.hold(GROUP)];
    old.close();
    byOld();
    await clock.advance(2 * GRACE_MS);
    expect(left).toEqual([]);
    byNext();
    await clock.advance(GRACE_MS);
    expect(left).toHaveLength(1);
  });

  it("that only the engine before used is left by the one that has taken its place", async () => {
    const { clock, left, sa, book } = rig();
    const old = book.open(PORT, sa, clock);
    const release = old.forProviders.hold(GROUP);
    book.open(PORT, { ...sa }, clock);
    old.close();
    release();
    await clock.advance(GRACE_MS);
    expect(left).toHaveLength(1);
  });

  it("is not left when the port is opened again and it is used again, and is when it is not", async () => {
    const { clock, left, sa, book } = rig();
    for (const uses of [true, false]) {
      const before = book.open(PORT, sa, clock);
      const release = before.forProviders.hold(GROUP);
      before.close();
      release();
      await clock.advance(GRACE_MS / 2);
      const after = book.open(PORT, sa, clock);
      const again = uses ? after.forProviders.hold(GROUP) : undefined;
      await clock.advance(2 * GRACE_MS);
      expect(left).toHaveLength(uses ? 0 : 1);
      after.close();
      again?.();
    }
  });

  it("that is used again while it is being left: who joins waits for the answer, a second at most", async () => {
    for (const answers of [true, false]) {
      const { clock, book } = rig();
      let answer: () => void = () => undefined;
      let given: AbortSignal | undefined;
      const sa: SaService = {
        query: ({ signal }) =>
          new Promise((resolve, reject) => {
            given = signal;
            answer = () => {
              resolve({ status: 0, records: [] });
            };
            signal?.addEventListener("abort", () => {
              reject(new Error("aborted"));
            });
          }),
      };
      const { forProviders } = book.open(PORT, sa, clock);
      forProviders.hold(GROUP)();
      expect(forProviders.leaving(GROUP)).toBeUndefined();
      await clock.advance(GRACE_MS);
      forProviders.hold(GROUP);
      let isOver = false;
      void forProviders.leaving(GROUP)?.then(() => (isOver = true));
      await clock.advance(999);
      expect([isOver, given?.aborted]).toEqual([false, false]);
      if (answers) answer();
      else await clock.advance(1);
      await clock.settle();
      expect([isOver, given?.aborted]).toEqual([true, !answers]);
      expect([forProviders.leaving(GROUP), clock.pending]).toEqual([undefined, 0]);
    }
  });

  it("stays at the end of the process, with no timer left", async () => {
    const { clock, left, sa, book } = rig();
    const { forProviders, close } = book.open(PORT, sa, clock);
    const [kept, given] = [forProviders.hold(GROUP), forProviders.hold(OTHER)];
    given();
    close();
    kept();
    expect(clock.pending).toBe(0);
    await clock.advance(2 * GRACE_MS);
    expect(left).toEqual([]);
  });

  it("is each port's own", async () => {
    const { clock, left, sa, book } = rig();
    book.open(PORT, sa, clock).forProviders.hold(GROUP);
    book.open(OTHER, sa, clock).forProviders.hold(GROUP)();
    await clock.advance(GRACE_MS);
    expect(left.map(({ record }) => decodeMcMemberRecord(Buffer.from(record)).portGid)).toEqual([OTHER]);
  });
});
