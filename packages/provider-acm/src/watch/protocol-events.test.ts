import { decodeAcmMad, type Lid } from "@verbena/ib";
import { FAMILIES } from "../../test/support/families.js";
import { BASE, gidOf, ip, LOW, named, to } from "../../test/support/parts.js";
import { requestMad, responseMad } from "../protocol/messages.js";
import {
  datagramDropped,
  duplicateFound,
  requestHeard,
  requestSent,
  responseHeard,
  responseSent,
} from "./protocol-events.js";

const PEER = { gid: gidOf(3), lid: 5 as Lid, qpn: 0x12, pathBits: 0 };
const PEER_FIELDS = { gid: "fe80::10:3", lid: 5, qpn: 0x12 };
const GROUP = "ff15:4001:ffff:3:400::";

describe("what is told of the protocol", () => {
  it.each(FAMILIES)(
    "a request for an $family address: who asks for whom, the groups, and how old the knowledge of the asker is",
    ({ host }) => {
      const mad = decodeAcmMad(requestMad(0x1fn, to(host(1)), ip(host(3)), [LOW, BASE]));
      const event = requestHeard(mad, PEER, { group: BASE, ageMs: 1500.4, isOurs: true });
      expect(event).toEqual({
        type: "request",
        way: "in",
        tid: "0x000000000000001f",
        source: host(3),
        wanted: host(1),
        groups: `ff15:4001:ffff:2:300:: ${GROUP}`,
        group: GROUP,
        ageMs: 1500,
        isOurs: true,
        ...PEER_FIELDS,
      });
    },
  );

  it("somebody new who is in none of our groups has neither age nor group", () => {
    const mad = decodeAcmMad(requestMad(1n, to("h9"), named("h3"), [LOW]));
    const event = requestHeard(mad, PEER, { group: undefined, ageMs: undefined, isOurs: false });
    expect(event).not.toHaveProperty("ageMs");
    expect(event).not.toHaveProperty("group");
  });

  it("who asks for the own address announces it", () => {
    expect(requestSent(requestMad(2n, to("h1"), named("H1"), [BASE]))).toEqual({
      type: "announcement",
      way: "out",
      tid: "0x0000000000000002",
      source: "H1",
      wanted: "h1",
      groups: GROUP,
    });
  });

  it("a request to one peer alone names the peer", () => {
    const message = requestMad(4n, to("h3"), named("H1"), [BASE]);
    expect(requestSent(message, PEER)).toEqual({ ...requestSent(message), ...PEER_FIELDS });
    expect(requestSent(message)).not.toHaveProperty("gid");
  });

  it("a response: who, the group chosen, and what had been asked for where that is known", () => {
    const bytes = responseMad(3n, BASE);
    const common = { type: "response", tid: "0x0000000000000003", status: 0, group: GROUP, ...PEER_FIELDS };
    expect(responseSent(bytes, PEER)).toEqual({ ...common, way: "out" });
    expect(responseHeard(decodeAcmMad(bytes), PEER, "h3")).toEqual({ ...common, way: "in", wanted: "h3" });
    expect(responseHeard(decodeAcmMad(bytes), PEER, undefined)).not.toHaveProperty("wanted");
  });

  it("what is dropped, and an address of two hosts", () => {
    expect(datagramDropped("length")).toEqual({ type: "dropped", way: "in", reason: "length" });
    expect(duplicateFound("h3", gidOf(3), gidOf(4))).toEqual({
      type: "duplicate",
      address: "h3",
      first: "fe80::10:3",
      second: "fe80::10:4",
    });
  });
});
