import { VirtualClock } from "@verbena/core/testing";
import type { Lid } from "@verbena/ib";
import { FAMILIES } from "../test/support/families.js";
import { BASE, gidOf, ip, to } from "../test/support/parts.js";
import { Inquiry, type InquiryParts } from "./inquiry.js";
import { HeardAddresses } from "./peers/heard-addresses.js";
import type { AskOptions } from "./protocol/requester.js";

const OWNER = { gid: gidOf(2), lid: 2 as Lid, qpn: 0x77, mgid: BASE };

describe.each(FAMILIES)("an $family address", ({ host }) => {
  function rig() {
    const clock = new VirtualClock();
    const heard = new HeardAddresses(10, clock);
    const asked: Pick<AskOptions, "known" | "asksOthers">[] = [];
    const inquiry = new Inquiry({
      requester: {
        ask: (_to, _source, { known, asksOthers }) => {
          asked.push({ ...(known && { known }), ...(asksOthers !== undefined && { asksOthers }) });
          return Promise.resolve(OWNER);
        },
      },
      addresses: { sourceFor: () => ip(host(1)) },
      clock,
      askingTimeMs: () => 9_000,
      ownerOf: (address) => heard.owner(address),
      isEverybodysTurn: (address) => heard.isEverybodysTurn(address),
      onPeer: (peer, address) => heard.hear(address, peer),
      onFoundAgain: () => undefined,
    } satisfies InquiryParts);
    return { inquiry, asked };
  }
  const options = { signal: new AbortController().signal, deadline: 9_000 };

  it("that has an owner is asked of him, and each twelfth time of everybody too", async () => {
    const { inquiry, asked } = rig();
    for (let n = 0; n <= 24; n += 1) await inquiry.find(to(host(2)), options);
    expect(asked[0]).toEqual({});
    expect(asked.flatMap(({ asksOthers }, n) => (asksOthers === true ? [n] : []))).toEqual([12, 24]);
    expect(asked.slice(1).every(({ known }) => known?.gid === OWNER.gid)).toBe(true);
  });

  it("whose owner is sought, once a minute perhaps, is asked of nobody else for it", async () => {
    const { inquiry, asked } = rig();
    for (let n = 0; n < 24; n += 1) await inquiry.seek(to(host(2)), OWNER, options);
    expect(asked.some(({ asksOthers }) => asksOthers === true)).toBe(false);
  });
});
