import { Destination, type LocalAddress } from "@verbena/core/sdk";
import { VirtualClock } from "@verbena/core/testing";
import { type AcmMad, decodeAcmMad, type Gid, type Lid } from "@verbena/ib";
import { FAMILIES } from "../../test/support/families.js";
import { BASE, gidOf, granted, ip, LOW, named, PORT, to } from "../../test/support/parts.js";
import { HeardAddresses } from "../peers/heard-addresses.js";
import type { Peer } from "../peers/peer.js";
import type { Sender } from "../wire/packet.js";
import { zeroCounts } from "./counts.js";
import { requestMad } from "./messages.js";
import { OwnAddresses } from "./own-addresses.js";
import { Responder } from "./responder.js";

const from = (n: number): Sender => ({ gid: gidOf(n), lid: n as Lid, qpn: 0x50, pathBits: 0 });
const own = new Map([
  [LOW, granted(LOW)],
  [BASE, granted(BASE)],
]);

function rig({ sendDepth = 64, slow = false } = {}) {
  const clock = new VirtualClock();
  const sent: { readonly to: Sender; readonly mad: AcmMad; readonly done: () => void }[] = [];
  const heard: (readonly [string, Peer])[] = [];
  const claims: (readonly [string, Gid])[] = [];
  const owners = new HeardAddresses(1000, clock);
  const counts = zeroCounts();
  const addresses = new OwnAddresses([named("Node1"), ...FAMILIES.map(({ host }) => ip(host(1)))], () => PORT);
  const responder = new Responder({
    clock,
    addresses,
    own: () => own,
    sendDepth,
    reply: (sender, _group, message, done) => {
      sent.push({ to: sender, mad: decodeAcmMad(message), done });
      if (!slow) queueMicrotask(done);
      return true;
    },
    counts,
    isKnown: (source, peer) => owners.isKnown(source, peer),
    onHeard: (source, peer) => {
      owners.hear(source, peer);
      heard.push([source.text, peer]);
    },
    onClaim: (address, by) => claims.push([address.text, by]),
  });
  const hear = (wanted: Destination, source: LocalAddress, sender = from(2), gids = [LOW, BASE], tid = 7n): void => {
    responder.take(decodeAcmMad(requestMad(tid, wanted, source, gids)), sender);
  };
  return { clock, sent, heard, claims, counts, addresses, responder, hear };
}

describe.each(FAMILIES)("$family", ({ host, family }) => {
  describe("a request that is heard", () => {
    it.each([
      ["name, whatever its case", to("NODE1"), named("node2")],
      [`${family} address`, to(host(1)), ip(host(2))],
      ["GID", Destination.gid(gidOf(1)), ip(host(2))],
      ["LID", Destination.lid(1 as Lid), ip(host(2))],
    ])(
      "for our %s is answered at once: the transaction id, and the best group that both have",
      (_what, wanted, source) => {
        const { hear, sent, counts } = rig();
        hear(wanted, source);
        expect(sent).toMatchObject([{ to: from(2), mad: { tid: 7n, method: 0x81, status: 0, gids: [BASE] } }]);
        expect(counts).toMatchObject({ requestsHeard: 1, requestsForUs: 1, responsesSent: 1 });
      },
    );

    it("for somebody else is not answered, and its sender is learnt", () => {
      const { hear, sent, heard } = rig();
      hear(to(host(9)), ip(host(2)));
      expect(sent).toEqual([]);
      expect(heard).toEqual([[host(2), { gid: gidOf(2), lid: 2, qpn: 0x50, mgid: BASE }]]);
    });

    it("is answered again when it is repeated", () => {
      const { hear, sent } = rig();
      hear(to("node1"), named("node2"));
      hear(to("node1"), named("node2"));
      expect(sent).toHaveLength(2);
    });

    it("of a sender that shares no group leads to nothing", () => {
      const { hear, sent, heard, counts } = rig();
      hear(to("node1"), named("node2"), from(2), [(BASE + 1n) as Gid]);
      expect([sent.length, heard.length, counts.noGroup]).toEqual([0, 0, 1]);
    });

    it("with an address that is none leads to nothing", () => {
      const { responder, sent, heard, counts } = rig();
      const mad = decodeAcmMad(requestMad(7n, to("node1"), named("node2"), [BASE]));
      responder.take({ ...mad, srcAddress: Buffer.alloc(64) }, from(2));
      expect([sent.length, heard.length, counts.dropped]).toEqual([0, 0, 1]);
    });

    it("of somebody who says to have our address is reported, answered, and not believed", () => {
      const { hear, sent, heard, claims } = rig();
      hear(to(host(1)), ip(host(1)));
      expect(claims).toEqual([[host(1), gidOf(2)]]);
      expect([sent.length, heard.length]).toEqual([1, 0]);
      hear(to(host(9)), ip(host(1)), from(1));
      expect(claims).toHaveLength(1);
    });

    it("for an address that has gone is not answered", () => {
      const { hear, sent, addresses } = rig();
      addresses.remove(ip(host(1)));
      hear(to(host(1)), ip(host(2)));
      expect(sent).toEqual([]);
    });
  });

  describe("a flood", () => {
    it("of requests for us from one peer is answered 128 times at once and 64 times a second; others are answered as before", async () => {
      const { hear, sent, counts, clock } = rig({ sendDepth: 1000 });
      for (let n = 0; n < 1000; n++) hear(to("node1"), named("node2"));
      expect([sent.length, counts.limited]).toEqual([128, 872]);
      await clock.advance(1000);
      for (let n = 0; n < 1000; n++) hear(to("node1"), named("node2"));
      expect(sent).toHaveLength(192);
      hear(to("node1"), named("node3"), from(3));
      expect(sent.at(-1)?.to).toEqual(from(3));
    });

    it("of names that one peer says to have is learnt in part only, and what is known of it stays", () => {
      const { hear, heard, counts } = rig();
      for (let n = 0; n < 1000; n++) hear(to("nobody"), named(`name${String(n)}`));
      expect([heard.length, counts.limited]).toEqual([256, 744]);
      hear(to("nobody"), named("name0"));
      hear(to("nobody"), named("node3"), from(3));
      expect(heard.slice(256).map(([name]) => name)).toEqual(["name0", "node3"]);
    });

    it("leaves no more than send_depth responses in the send queue; the others wait their turn", () => {
      const { hear, sent } = rig({ sendDepth: 2, slow: true });
      for (let n = 2; n < 8; n++) hear(to("node1"), named(`node${String(n)}`), from(n), [BASE], BigInt(n));
      expect(sent.map(({ mad }) => mad.tid)).toEqual([2n, 3n]);
      sent[0]?.done();
      expect(sent.map(({ mad }) => mad.tid)).toEqual([2n, 3n, 4n]);
    });
  });
});
