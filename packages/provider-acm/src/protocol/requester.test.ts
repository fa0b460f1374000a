import type { Destination } from "@verbena/core/sdk";
import { VirtualClock } from "@verbena/core/testing";
import { ACM_TYPE, type AcmMad, decodeAcmMad, type Gid, type Lid } from "@verbena/ib";
import { FAMILIES } from "../../test/support/families.js";
import { BASE, gidOf, granted, ip, to } from "../../test/support/parts.js";
import type { Peer } from "../peers/peer.js";
import { encodeAddress } from "../wire/acm-address.js";
import type { Sender } from "../wire/packet.js";
import { zeroCounts } from "./counts.js";
import { responseMad } from "./messages.js";
import { Requester } from "./requester.js";

describe.each(FAMILIES)("$family", ({ host }) => {
  const SOURCE = ip(host(1));
  const from = (n: number, qpn = 0x60): Sender => ({ gid: gidOf(n), lid: n as Lid, qpn, pathBits: 0 });
  const own = new Map([[BASE, granted(BASE)]]);

  /** What a promise is rejected with. */
  const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  function rig(resolveDepth = 64) {
    const clock = new VirtualClock();
    const sent: { readonly at: number; readonly bytes: Buffer; readonly mad: AcmMad; readonly alone?: number }[] = [];
    const late: (readonly [Destination, Peer])[] = [];
    const duplicates: (readonly [string, Gid, Gid])[] = [];
    const counts = zeroCounts();
    const requester = new Requester({
      clock,
      random: () => 0.5,
      resolveDepth,
      own: () => own,
      ownGid: gidOf(1),
      ownLid: () => 1 as Lid,
      send: (bytes) => {
        sent.push({ at: clock.now(), bytes, mad: decodeAcmMad(bytes) });
        return true;
      },
      sendTo: (peer, bytes) => {
        sent.push({ at: clock.now(), bytes, mad: decodeAcmMad(bytes), alone: peer.qpn });
        return true;
      },
      counts,
      onLate: (destination, peer) => late.push([destination, peer]),
      onDuplicate: (address, first, second) => duplicates.push([address.text, first, second]),
    });
    const ask = (text: string, deadline = 9_072, signal = new AbortController().signal) =>
      requester.ask(to(text), SOURCE, { signal, deadline });
    const answer = (index: number, sender: Sender, group = BASE): void => {
      requester.take(decodeAcmMad(responseMad(sent[index]?.mad.tid ?? 0n, group)), sender);
    };
    return { clock, sent, late, duplicates, counts, requester, ask, answer };
  }

  describe("a request to somebody who has answered before", () => {
    it("goes to him alone once, then to everybody, the same to the byte", async () => {
      const { requester, clock, sent, answer } = rig();
      const known = { gid: gidOf(2), lid: 2 as Lid, qpn: 0x77, mgid: BASE };
      const found = requester.ask(to(host(2)), SOURCE, {
        signal: new AbortController().signal,
        deadline: 9_072,
        known,
      });
      await clock.advance(60 + 72);
      expect(sent.map(({ alone }) => alone)).toEqual([0x77, undefined, undefined]);
      expect(new Set(sent.map(({ bytes }) => bytes.toString("hex"))).size).toBe(1);
      answer(2, { gid: gidOf(2), lid: 9 as Lid, qpn: 0x78, pathBits: 0 });
      expect(await found).toEqual({ gid: gidOf(2), lid: 9, qpn: 0x78, mgid: BASE });
    });

    it("and to everybody when it is their turn: he stays the owner, and who answers beside him is a duplicate", async () => {
      const { requester, clock, sent, answer, duplicates, counts } = rig();
      const ask = () =>
        requester.ask(to(host(2)), SOURCE, {
          signal: new AbortController().signal,
          deadline: 9_072,
          known: { gid: gidOf(2), lid: 2 as Lid, qpn: 0x77, mgid: BASE },
          asksOthers: true,
        });
      const found = ask();
      expect(sent.map(({ alone }) => alone)).toEqual([0x77]);
      answer(0, from(2, 0x77));
      expect(await found).toMatchObject({ gid: gidOf(2) });
      expect(sent.map(({ alone }) => alone)).toEqual([0x77, undefined]);
      expect(sent[1]?.bytes.equals(sent[0]!.bytes)).toBe(true);
      answer(1, from(3));
      answer(1, from(2, 0x77));
      expect(duplicates).toEqual([[host(2), gidOf(2), gidOf(3)]]);
      expect([counts.requestsSent, counts.retries, clock.pending]).toEqual([2, 0, 0]);
      // That he has answered twice, as asked, is no reason to ask more slowly.
      const again = ask();
      await clock.advance(60);
      expect(sent).toHaveLength(4);
      answer(3, from(2, 0x77));
      await again;
    });
  });

  describe("a request that is sent again", () => {
    it("is the same to the byte; from the fifth try on every second one gives the own LID for the source, and is else the same", async () => {
      const { ask, clock, sent } = rig();
      const failure = failureOf(ask(host(2)));
      await clock.advance(9_072);
      await failure;
      const byLid = sent.filter(({ mad }) => mad.srcType === ACM_TYPE.LID);
      expect(byLid.map((one) => sent.indexOf(one))).toEqual([4, 6, 8, 10, 12, 14, 16, 18]);
      const plain = sent.filter((one) => !byLid.includes(one));
      for (const same of [plain, byLid]) expect(new Set(same.map(({ bytes }) => bytes.toString("hex"))).size).toBe(1);
      const [first] = plain;
      const [other] = byLid;
      expect(other?.mad.srcAddress.subarray(0, 2)).toEqual(Buffer.from([0, 1]));
      expect({ ...other?.mad, srcType: 0, srcAddress: 0 }).toEqual({ ...first?.mad, srcType: 0, srcAddress: 0 });
    });
  });

  describe("a request", () => {
    it("is answered by the response with its transaction id: GID, LID and QPN are those of the packet", async () => {
      const { ask, answer, clock } = rig();
      const asked = ask(host(2));
      answer(0, from(3, 0x77));
      await expect(asked).resolves.toEqual({ gid: gidOf(3), lid: 3, qpn: 0x77, mgid: BASE });
      expect(clock.pending).toBe(0);
    });

    it("is sent again 19 times with growing gaps within nine seconds; then nobody has answered", async () => {
      const { ask, clock, sent, counts } = rig();
      const failure = failureOf(ask(host(2)));
      await clock.advance(9_072);
      expect(await failure).toMatchObject({
        code: "VERBENA_PROVIDER_ACM_TIMEOUT",
        details: { tries: 19, timedOut: true },
      });
      const gaps = sent.slice(1).map(({ at }, i) => Math.round(at - (sent[i]?.at ?? 0)));
      expect(gaps.slice(0, 4)).toEqual([60, 72, 86, 104]);
      expect(counts).toMatchObject({ addressQuery: 1, requestsSent: 19, retries: 18, timeouts: 1 });
      expect(clock.pending).toBe(0);
    });

    it("ends at once, without an answer, when nobody wants to know any more", async () => {
      const { ask, clock, requester } = rig();
      const controller = new AbortController();
      const asked = ask(host(2), 9_000, controller.signal);
      controller.abort();
      await expect(asked).resolves.toBeUndefined();
      expect([requester.outstanding, clock.pending]).toEqual([0, 0]);
    });

    it("to a peer that shares no group leads to nobody", async () => {
      const { ask, answer, counts } = rig();
      const asked = ask(host(2));
      answer(0, from(3), (BASE + 1n) as Gid);
      await expect(asked).resolves.toBeUndefined();
      expect(counts.noGroup).toBe(1);
    });

    it("that is answered with a status fails with it", async () => {
      const { ask, sent, requester } = rig();
      const failure = failureOf(ask(host(2)));
      requester.take({ ...decodeAcmMad(responseMad(sent[0]?.mad.tid ?? 0n, BASE)), status: 0x0300 }, from(3));
      expect(await failure).toMatchObject({ code: "VERBENA_PROVIDER_ACM_STATUS", details: { status: 3 } });
    });

    it("has a transaction id that no other has", async () => {
      const { ask, sent, requester } = rig();
      const asked = [host(2), host(3), "node4"].map((text) => ask(text));
      expect(new Set(sent.map(({ mad }) => mad.tid)).size).toBe(3);
      requester.close();
      await expect(Promise.all(asked)).resolves.toEqual([undefined, undefined, undefined]);
    });
  });

  describe("a response nobody waits for", () => {
    it("with an unknown transaction id is counted and dropped", async () => {
      const { ask, answer, requester, counts } = rig();
      const asked = ask(host(2));
      requester.take(decodeAcmMad(responseMad(4711n, BASE)), from(9));
      expect([counts.unmatched, requester.outstanding]).toEqual([1, 1]);
      answer(0, from(3));
      await expect(asked).resolves.toMatchObject({ gid: gidOf(3) });
    });

    it("that comes after the end of its request is worth remembering for two seconds", async () => {
      const { ask, answer, clock, late, counts } = rig();
      const controller = new AbortController();
      const asked = ask(host(2), 9_000, controller.signal);
      controller.abort();
      await asked;
      await clock.advance(2_000);
      answer(0, from(3));
      expect(late).toEqual([[to(host(2)), { gid: gidOf(3), lid: 3, qpn: 0x60, mgid: BASE }]]);
      await clock.advance(2_001);
      answer(0, from(3));
      expect([late.length, counts.unmatched]).toEqual([1, 1]);
    });

    it("from a second host for the same request: both are reported, the first one stays", async () => {
      const { ask, answer, duplicates } = rig();
      const asked = ask(host(2));
      answer(0, from(3));
      answer(0, from(3));
      answer(0, from(5));
      await expect(asked).resolves.toMatchObject({ gid: gidOf(3) });
      expect(duplicates).toEqual([[host(2), gidOf(3), gidOf(5)]]);
    });

    it("to an announcement: somebody else has our address", () => {
      const { requester, sent, answer, duplicates, counts } = rig();
      requester.announce(SOURCE);
      expect(sent[0]?.mad.destAddress).toEqual(sent[0]?.mad.srcAddress);
      answer(0, from(4));
      expect(duplicates).toEqual([[host(1), gidOf(1), gidOf(4)]]);
      expect(counts).toMatchObject({ announcements: 1, addressQuery: 0 });
    });
  });

  describe("answers that are late, not lost", () => {
    it("make the gaps of later requests longer, and prompt ones shorter again", async () => {
      const { ask, answer, clock, sent } = rig();
      const gapOf = async (text: string): Promise<number> => {
        const asked = ask(text, clock.now() + 9_000);
        const index = sent.length - 1;
        while (sent.length === index + 1) await clock.advance(1);
        const gap = clock.now() - (sent[index]?.at ?? 0);
        answer(index, from(3));
        await asked;
        return gap;
      };
      expect(await gapOf(host(2))).toBe(60);
      // The answer to the repeat arrives as well: it was not needed.
      answer(sent.length - 1, from(3));
      expect(await gapOf(host(3))).toBe(90);
      for (let n = 10; n < 20; n++) {
        const asked = ask(host(n), clock.now() + 9_000);
        answer(sent.length - 1, from(3));
        await asked;
      }
      expect(await gapOf(host(4))).toBe(60);
    });
  });

  describe("many at once", () => {
    it("the living are not held up by the dead, even with resolve_depth 1", async () => {
      const { ask, answer, clock, sent, requester } = rig(1);
      const dead = failureOf(ask(host(99)));
      const living = Array.from({ length: 5 }, (_, n) => ask(host(n + 10)));
      let answered = 0;
      for (let step = 0; step < 10 && answered < 5; step++) {
        for (const [index, { mad }] of sent.entries()) {
          if (!mad.destAddress.equals(encodeAddress(to(host(10 + answered))).info)) continue;
          answer(index, from(10 + answered));
          answered += 1;
        }
        await clock.advance(60);
      }
      await expect(Promise.all(living)).resolves.toHaveLength(5);
      expect(clock.now()).toBeLessThan(600);
      await clock.advance(9_072);
      expect(await dead).toMatchObject({ code: "VERBENA_PROVIDER_ACM_TIMEOUT" });
      expect([requester.outstanding, clock.pending]).toEqual([0, 0]);
    });

    it("no more than resolve_depth are sent at once", () => {
      const { ask, sent, requester } = rig(4);
      const asked = Array.from({ length: 50 }, (_, n) => ask(`node${String(n)}`));
      expect(sent).toHaveLength(4);
      requester.close();
      return Promise.all(asked);
    });
  });
});
