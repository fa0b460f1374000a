import { endianness } from "node:os";
import { PKey } from "@verbena/ib";
import { recorded } from "../../test/support.js";
import type { AddressEvent } from "../api/addresses.js";
import { parseAddress } from "./address.js";
import { AddressTable } from "./address-table.js";
import { ARPHRD_INFINIBAND, parseLink } from "./link.js";
import { encodeDumpRequest, messageErrno, NETLINK, parseMessages } from "./message.js";
import { RtnetlinkSession } from "./session.js";

// What a kernel really sent (test/data/rtnetlink). Its `ib0` has link type 32 but, being a tap, no link-layer address: an IPoIB
// interface's is added by hand where a test needs one.
const describeRecorded = endianness() === "LE" ? describe : describe.skip; // recorded on a little-endian machine

const messagesOf = (step: string) => recorded(step).flatMap((datagram) => parseMessages(datagram));

const IPOIB_ADDRESS = Buffer.from("80000048" + "fe80000000000000" + "0002c90300000002", "hex");
const IPOIB_BROADCAST = Buffer.from("00ffffff" + "ff12401b8001" + "000000000000" + "ffffffff", "hex");

/** The datagram with IFLA_ADDRESS and IFLA_BROADCAST of an IPoIB interface appended to the message of link `name`. */
function withIpoibAddress(datagram: Buffer, name: string): Buffer {
  const attribute = (type: number, value: Buffer): Buffer => {
    const out = Buffer.alloc(4 + value.length);
    out.writeUInt16LE(out.length, 0);
    out.writeUInt16LE(type, 2);
    value.copy(out, 4);
    return out;
  };
  return Buffer.concat(
    parseMessages(datagram).map((message) => {
      const isWanted = message.type === NETLINK.RTM_NEWLINK && parseLink(message).name === name;
      const added = isWanted ? [attribute(1, IPOIB_ADDRESS), attribute(2, IPOIB_BROADCAST)] : [];
      const payload = Buffer.concat([message.payload, ...added]);
      const header = Buffer.alloc(16);
      header.writeUInt32LE(16 + payload.length, 0);
      header.writeUInt16LE(message.type, 4);
      header.writeUInt16LE(message.flags, 6);
      header.writeUInt32LE(message.sequence, 8);
      return Buffer.concat([header, payload, Buffer.alloc((4 - (payload.length % 4)) % 4)]);
    }),
  );
}

/** Runs a session over recorded steps; the listing's requests must come as the kernel was asked when it was recorded. */
function replay(session: RtnetlinkSession, step: string): AddressEvent[] {
  const events: AddressEvent[] = [];
  for (const datagram of recorded(step)) events.push(...session.receive(withIpoibAddress(datagram, "ib0")).events);
  return events;
}

const host = (address: string, prefixLength: number, interfaceName = "ib0", pkey = 0x8001) => ({
  address,
  prefixLength,
  interfaceName,
  gid: expect.anything() as unknown,
  pkey,
});

describeRecorded("recorded datagrams", () => {
  test("the listing of links", () => {
    const messages = messagesOf("list links");
    expect(messages.map((message) => message.type)).toEqual([16, 16, 16, 3]);
    expect(messages.map((message) => message.sequence)).toEqual([1, 1, 1, 1]);
    const links = messages.slice(0, 3).map(parseLink);
    expect(links.map(({ name, type, gid, family }) => ({ name, type, gid, family }))).toEqual([
      { name: "lo", type: 772, gid: undefined, family: 0 },
      { name: "ib0", type: ARPHRD_INFINIBAND, gid: undefined, family: 0 },
      { name: "eth9", type: 1, gid: undefined, family: 0 },
    ]);
    expect(messageErrno(messages[3]!)).toBe(0);
  });

  test("the listing of addresses, and single changes", () => {
    const ib0 = parseLink(messagesOf("list links")[1]!).index;
    const addresses = messagesOf("list addresses").slice(0, -1).map(parseAddress);
    expect(addresses).toContainEqual({ linkIndex: ib0, address: "192.0.2.1", prefixLength: 24 });
    expect(messagesOf("ip addr add 192.0.2.2/32 peer 198.51.100.1/32 dev ib0").map(parseAddress)).toEqual([
      { linkIndex: ib0, address: "192.0.2.2", prefixLength: 32 },
    ]);
    expect(messagesOf("ip addr add 2001:db8::1/64 dev ib0 nodad").map(parseAddress)).toEqual([
      { linkIndex: ib0, address: "2001:db8::1", prefixLength: 64 },
    ]);
    expect(messagesOf("ip addr del 192.0.2.1/24 dev ib0").map((message) => message.type)).toEqual([
      NETLINK.RTM_DELADDR,
    ]);
  });

  test("bytes 4 to 19 of the link-layer address are the GID, the broadcast address has the P_Key", () => {
    const datagrams = recorded("list links").map((datagram) => withIpoibAddress(datagram, "ib0"));
    const ib0 = datagrams
      .flatMap((datagram) => parseMessages(datagram))
      .map((m) => (m.type === 16 ? parseLink(m) : undefined))[1];
    expect(ib0?.gid).toBe(0xfe80_0000_0000_0000_0002_c903_0000_0002n);
    expect(ib0?.broadcastPkey).toBe(0x8001);
  });

  test("a whole session: listing, changes, renaming, removal", () => {
    const asked: string[] = [];
    const table = new AddressTable((name) => {
      asked.push(name);
      return PKey.parse("0x8001");
    });
    const session = new RtnetlinkSession(table);
    expect(session.start()).toEqual({ events: [], request: encodeDumpRequest(NETLINK.RTM_GETLINK, 1) });
    expect(replay(session, "list links")).toEqual([]);
    expect(replay(session, "list addresses")).toEqual([
      { type: "added", address: host("192.0.2.1", 24) },
      { type: "synced" },
    ]);
    expect(replay(session, "ip addr add 192.0.2.2/32 peer 198.51.100.1/32 dev ib0")).toEqual([
      { type: "added", address: host("192.0.2.2", 32) },
    ]);
    expect(replay(session, "ip addr add 2001:db8::1/64 dev ib0 nodad")).toEqual([
      { type: "added", address: host("2001:db8::1", 64) },
    ]);
    expect(replay(session, "ip addr del 192.0.2.1/24 dev ib0")).toEqual([
      { type: "removed", address: host("192.0.2.1", 24) },
    ]);
    expect(replay(session, "ip addr del 2001:db8::1/64 dev ib0")).toEqual([
      { type: "removed", address: host("2001:db8::1", 64) },
    ]);
    // eth9 is Ethernet and was never reported, so neither is its end.
    expect(replay(session, "ip link del eth9")).toEqual([]);
    expect(asked.every((name) => name === "ib0")).toBe(true);
  });

  test("a new name takes the addresses along; without a link-layer address the interface is no port", () => {
    const session = new RtnetlinkSession(new AddressTable(() => PKey.DEFAULT));
    session.start();
    replay(session, "list links");
    replay(session, "list addresses");
    const renamed = recorded("ip link set ib0 name ib1").map((datagram) => withIpoibAddress(datagram, "ib1"));
    expect(renamed.flatMap((datagram) => session.receive(datagram).events)).toEqual([
      { type: "removed", address: host("192.0.2.1", 24, "ib0", 0xffff) },
      { type: "added", address: host("192.0.2.1", 24, "ib1", 0xffff) },
      { type: "added", address: host("192.0.2.2", 32, "ib1", 0xffff) },
    ]);
    const bare = recorded("ip link set ib0 name ib1").slice(0, 1);
    expect(bare.flatMap((datagram) => session.receive(datagram).events).map((event) => event.type)).toEqual([
      "removed",
      "removed",
    ]);
  });

  test("every shorter version of a recorded datagram is whole messages or malformed, nothing else", () => {
    const datagram = recorded("list addresses")[0]!;
    for (let length = 0; length < datagram.length; length++) {
      try {
        for (const message of parseMessages(datagram.subarray(0, length))) parseAddress(message);
      } catch (error) {
        expect(error).toMatchObject({ code: "VERBENA_NATIVE_NETLINK_MESSAGE" });
      }
    }
  });
});
