import { PKey } from "@verbena/ib";
import { writeHost16, writeHost32 } from "../host-order.js";
import { AddressTable } from "./address-table.js";
import { encodeDumpRequest, NETLINK, parseMessages } from "./message.js";
import { RtnetlinkSession } from "./session.js";

/** A netlink message with a payload, in host order. */
function message(type: number, sequence: number, payload: Buffer, flags = 2): Buffer {
  const header = Buffer.alloc(16);
  writeHost32(header, 0, 16 + payload.length);
  writeHost16(header, 4, type);
  writeHost16(header, 6, flags);
  writeHost32(header, 8, sequence);
  return Buffer.concat([header, payload, Buffer.alloc((4 - (payload.length % 4)) % 4)]);
}

function attribute(type: number, value: Buffer): Buffer {
  const header = Buffer.alloc(4);
  writeHost16(header, 0, 4 + value.length);
  writeHost16(header, 2, type);
  return Buffer.concat([header, value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
}

function link(
  index: number,
  name: string,
  guid: string,
  sequence: number,
  type: number = NETLINK.RTM_NEWLINK,
  flags = 2,
): Buffer {
  const fixed = Buffer.alloc(16);
  writeHost16(fixed, 2, 32);
  writeHost32(fixed, 4, index);
  const address = Buffer.from(`00000001fe80000000000000${guid}`, "hex");
  return message(
    type,
    sequence,
    Buffer.concat([fixed, attribute(1, address), attribute(3, Buffer.from(`${name}\0`))]),
    flags,
  );
}

function address(index: number, text: string, sequence: number, type: number = NETLINK.RTM_NEWADDR): Buffer {
  const fixed = Buffer.from([2, 24, 0, 0, 0, 0, 0, 0]);
  writeHost32(fixed, 4, index);
  return message(type, sequence, Buffer.concat([fixed, attribute(2, Buffer.from(text.split(".").map(Number)))]));
}

const done = (sequence: number): Buffer => message(NETLINK.NLMSG_DONE, sequence, Buffer.alloc(4));
const links = (sequence: number): Buffer => encodeDumpRequest(NETLINK.RTM_GETLINK, sequence);
const addresses = (sequence: number): Buffer => encodeDumpRequest(NETLINK.RTM_GETADDR, sequence);
const open = (): RtnetlinkSession => new RtnetlinkSession(new AddressTable(() => PKey.DEFAULT));
const kinds = (events: readonly { readonly type: string }[]): readonly string[] => events.map((event) => event.type);

const GUID = "0002c90300000002";

test("the requests are dumps of every family", () => {
  expect(parseMessages(links(1))).toEqual([
    { type: NETLINK.RTM_GETLINK, flags: 0x301, sequence: 1, payload: Buffer.alloc(16) },
  ]);
  expect(parseMessages(addresses(2))).toEqual([
    { type: NETLINK.RTM_GETADDR, flags: 0x301, sequence: 2, payload: Buffer.alloc(8) },
  ]);
});

test("links, then addresses, then synced", () => {
  const session = open();
  expect(session.start().request).toEqual(links(1));
  expect(session.receive(link(5, "ib0", GUID, 1)).events).toEqual([]);
  expect(session.receive(done(1))).toEqual({ events: [], request: addresses(2) });
  const listed = session.receive(Buffer.concat([address(5, "10.0.0.1", 2), done(2)]));
  expect(kinds(listed.events)).toEqual(["added", "synced"]);
  expect(listed.events[0]).toEqual({
    type: "added",
    address: {
      address: "10.0.0.1",
      prefixLength: 24,
      interfaceName: "ib0",
      gid: 0xfe80_0000_0000_0000_0002_c903_0000_0002n,
      pkey: 0xffff,
    },
  });
});

test("an address that comes before its link counts once the link is known", () => {
  const session = open();
  session.start();
  expect(session.receive(address(5, "10.0.0.1", 0)).events).toEqual([]);
  expect(kinds(session.receive(link(5, "ib0", GUID, 1)).events)).toEqual(["added"]);
});

test("a repeated address is no news; a changed GID moves the addresses", () => {
  const session = open();
  session.start();
  session.receive(link(5, "ib0", GUID, 1));
  session.receive(address(5, "10.0.0.1", 0));
  expect(session.receive(address(5, "10.0.0.1", 0)).events).toEqual([]);
  expect(session.receive(link(5, "ib0", GUID, 0)).events).toEqual([]);
  const moved = session.receive(link(5, "ib0", "0002c90300000003", 0)).events;
  expect(moved).toMatchObject([
    { type: "removed", address: { gid: 0xfe80_0000_0000_0000_0002_c903_0000_0002n } },
    { type: "added", address: { gid: 0xfe80_0000_0000_0000_0002_c903_0000_0003n } },
  ]);
});

test("a removed link takes its addresses along, and they do not come back with a new one", () => {
  const session = open();
  session.start();
  session.receive(link(5, "ib0", GUID, 1));
  session.receive(address(5, "10.0.0.1", 0));
  expect(kinds(session.receive(link(5, "ib0", GUID, 0, NETLINK.RTM_DELLINK)).events)).toEqual(["removed"]);
  expect(session.receive(link(5, "ib0", GUID, 0)).events).toEqual([]);
});

test("removal of an unknown address is no event", () => {
  const session = open();
  session.start();
  session.receive(link(5, "ib0", GUID, 1));
  expect(session.receive(address(5, "10.0.0.9", 0, NETLINK.RTM_DELADDR)).events).toEqual([]);
});

test("a loss while idle: reset and list at once", () => {
  const session = open();
  session.start();
  session.receive(link(5, "ib0", GUID, 1));
  session.receive(done(1));
  session.receive(Buffer.concat([address(5, "10.0.0.1", 2), done(2)]));
  expect(session.overflow()).toEqual({ events: [{ type: "reset" }], request: links(3) });
  session.receive(Buffer.concat([link(5, "ib0", GUID, 3), done(3)]));
  expect(kinds(session.receive(Buffer.concat([address(5, "10.0.0.1", 4), done(4)])).events)).toEqual([
    "added",
    "synced",
  ]);
});

test("a loss during a listing: the listing ends first, then a new one begins", () => {
  const session = open();
  session.start();
  expect(session.overflow()).toEqual({ events: [{ type: "reset" }] });
  session.receive(link(5, "ib0", GUID, 1));
  expect(session.receive(done(1))).toEqual({ events: [], request: links(2) });
  session.receive(Buffer.concat([link(5, "ib0", GUID, 2), done(2)]));
  expect(kinds(session.receive(Buffer.concat([address(5, "10.0.0.1", 3), done(3)])).events)).toEqual([
    "added",
    "synced",
  ]);
});

test("a listing that was disturbed (NLM_F_DUMP_INTR) is repeated", () => {
  const session = open();
  session.start();
  session.receive(Buffer.concat([link(5, "ib0", GUID, 1), done(1)]));
  session.receive(address(5, "10.0.0.1", 2));
  const disturbed = message(NETLINK.NLMSG_DONE, 2, Buffer.alloc(4), NETLINK.NLM_F_DUMP_INTR | 2);
  expect(session.receive(disturbed)).toEqual({ events: [{ type: "reset" }], request: links(3) });
});

test("the end of another's listing is not ours", () => {
  const session = open();
  session.start();
  expect(session.receive(done(77))).toEqual({ events: [] });
});

test("a refused listing is a coded error with errno", () => {
  const session = open();
  session.start();
  const refused = Buffer.alloc(20);
  writeHost32(refused, 0, 0x1_0000_0000 - 1); // -EPERM
  expect(() => session.receive(message(NETLINK.NLMSG_ERROR, 1, refused))).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_NETLINK", errno: 1 }),
  );
});

test("settings of other families and unknown messages are passed over", () => {
  const session = open();
  session.start();
  const bridge = link(5, "ib0", GUID, 1);
  bridge[16] = 7; // AF_BRIDGE
  session.receive(address(5, "10.0.0.1", 0));
  expect(session.receive(bridge).events).toEqual([]);
  expect(session.receive(message(999, 0, Buffer.alloc(8)))).toEqual({ events: [] });
  const decnet = message(NETLINK.RTM_NEWADDR, 0, Buffer.from([12, 0, 0, 0, 0, 0, 0, 0]));
  expect(session.receive(decnet)).toEqual({ events: [] });
});

test.each([
  ["a header cut short", Buffer.alloc(7)],
  [
    "a length below the header's",
    (() => {
      const b = Buffer.alloc(16);
      writeHost32(b, 0, 8);
      return b;
    })(),
  ],
  [
    "a length beyond the datagram",
    (() => {
      const b = Buffer.alloc(16);
      writeHost32(b, 0, 99);
      return b;
    })(),
  ],
  ["a link without its fixed part", message(NETLINK.RTM_NEWLINK, 0, Buffer.alloc(8))],
  ["an address without its fixed part", message(NETLINK.RTM_NEWADDR, 0, Buffer.alloc(4))],
  [
    "an IPv4 address of 3 bytes",
    message(
      NETLINK.RTM_NEWADDR,
      0,
      Buffer.concat([Buffer.from([2, 24, 0, 0, 0, 0, 0, 0]), attribute(2, Buffer.alloc(3))]),
    ),
  ],
  ["an attribute shorter than its head", message(NETLINK.RTM_NEWLINK, 0, Buffer.alloc(20))],
])("%s is malformed", (_name, datagram) => {
  const session = open();
  session.start();
  expect(() => session.receive(datagram)).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_NETLINK_MESSAGE" }));
});
