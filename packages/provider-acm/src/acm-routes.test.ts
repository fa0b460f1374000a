import { VirtualClock } from "@verbena/core/testing";
import type { Lid, McMemberRecord } from "@verbena/ib";
import { BASE, gidOf, to } from "../test/support/parts.js";
import { AcmRoutes } from "./acm-routes.js";
import { acmHint } from "./peers/acm-hint.js";
import type { Peer } from "./peers/peer.js";
import { PeerTable } from "./peers/peer-table.js";

const peer = (n: number, lid = n): Peer => ({ gid: gidOf(n), lid: lid as Lid, qpn: 0x50, mgid: BASE });

function rig(answer: Peer | undefined) {
  const clock = new VirtualClock();
  const peers = new PeerTable(10, clock);
  const sought: Peer[] = [];
  const routes = new AcmRoutes({
    peers,
    own: () => new Map([[BASE, { mgid: BASE, portGid: gidOf(1) } as McMemberRecord]]),
    port: () => ({ lid: 1 }) as never,
    inquiry: {
      seek: (_to, known) => {
        sought.push(known);
        return Promise.resolve(answer);
      },
    },
  });
  const dlid = async (hint: unknown, n = 2) => {
    const query = { dgid: gidOf(n), hint } as Parameters<AcmRoutes["resolveRoute"]>[0];
    const found = await routes.resolveRoute(query, { signal: new AbortController().signal, deadline: 1_000 });
    return found?.paths[0]?.dlid;
  };
  return { clock, peers, sought, dlid };
}

describe("a path made of a group", () => {
  const hint = acmHint(peer(2), to("node2"));

  it("leads to where the peer was heard a moment ago; nobody is asked", async () => {
    const { peers, sought, dlid } = rig(undefined);
    peers.hear(peer(2, 12), 0);
    expect(await dlid(hint)).toBe(12);
    expect(sought).toEqual([]);
  });

  it("leads to where the peer answers from, if it was not heard for two seconds, or never", async () => {
    const { clock, peers, sought, dlid } = rig(peer(2, 13));
    expect(await dlid(hint)).toBe(13);
    peers.hear(peer(2, 12), 0);
    await clock.advance(2_000);
    expect(await dlid(hint)).toBe(13);
    expect(sought).toEqual([peer(2), peer(2, 12)]);
  });

  it("is not made for a peer that is silent, nor when the address is somebody else's by now, nor without a hint", async () => {
    expect(await rig(undefined).dlid(hint)).toBeUndefined();
    expect(await rig(peer(3)).dlid(hint)).toBeUndefined();
    expect(await rig(peer(2)).dlid(undefined)).toBeUndefined();
  });
});
