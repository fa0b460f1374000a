import { Gid, Guid, PKey } from "@verbena/ib";
import type { HostAddress } from "@verbena/native";
import { silentLogger } from "../host/default-services.js";
import { LossBook } from "../losses/loss-book.js";
import { readVerbsPort } from "../ports/verbs-port.js";
import type { Port } from "../sdk/endpoint.js";
import { FakeNative, VirtualClock } from "../testing/index.js";
import { AddressBook, type AddressBookChange } from "./address-book.js";
import { AddressWatch } from "./address-watch.js";

const guid = Guid.from(0x100001n);
const gid = Gid.of(Gid.linkLocalPrefix, guid);

function setUp() {
  const native = new FakeNative({
    clock: new VirtualClock(),
    devices: [
      {
        name: "mlx5_0",
        nodeGuid: guid,
        ports: [{ port: 1, portGuid: guid, pkeys: [PKey.from(0x7fff), PKey.from(0x8002)] }],
      },
    ],
  });
  const port: Port = { ...readVerbsPort(native.verbs.open("mlx5_0"), 1, 1), generation: 1 };
  return { native, port };
}

const host = (address: string, pkey = 0xffff): HostAddress => ({
  address,
  prefixLength: 24,
  gid,
  pkey: PKey.from(pkey),
});
const name = (text: string, pkey: number | "default" = "default", device = "mlx5_0", port = 1) =>
  ({ kind: "name", text, device, port, pkey: pkey === "default" ? pkey : PKey.from(pkey) }) as const;

describe("AddressBook", () => {
  it("gives names to the endpoint of their device, port and partition", () => {
    const { port } = setUp();
    const book = new AddressBook(
      [
        name("Host7"),
        name("host7-full", 0xffff),
        name("host7-storage", 0x0002),
        name("other", "default", "MLX5_0", 2),
        name("HOST7"),
      ],
      false,
    );
    const texts = (pkey: number): string[] => book.addressesOf(port, PKey.from(pkey)).map((address) => address.text);
    expect(texts(0x7fff)).toEqual(["Host7", "host7-full"]);
    expect(texts(0x8002)).toEqual(["host7-storage"]);
  });

  it("takes IPs of the file only when asked to", () => {
    const { port } = setUp();
    const line = { kind: "ip", text: "192.0.2.9", device: "mlx5_0", port: 1, pkey: "default" } as const;
    expect(new AddressBook([line], false).addressesOf(port, PKey.from(0x7fff))).toEqual([]);
    expect(new AddressBook([line], true).addressesOf(port, PKey.from(0x7fff))).toEqual([
      { kind: "ip", address: "192.0.2.9", text: "192.0.2.9", origin: "file" },
    ]);
  });

  it("puts the system's IPs first, with prefix length if found at start", () => {
    const { port } = setUp();
    const book = new AddressBook([name("host7")], false);
    book.addSystem(host("192.0.2.1"));
    book.markSynced();
    book.addSystem(host("2001:db8:0:0::1"));
    book.addSystem(host("192.0.2.77", 0x8002));
    expect(book.addressesOf(port, PKey.from(0x7fff)).map((address) => address.text)).toEqual([
      "192.0.2.1/24",
      "2001:db8::1",
      "host7",
    ]);
    expect(book.addressesOf(port, PKey.from(0x8002)).map((address) => address.text)).toEqual(["192.0.2.77"]);
  });
});

describe("AddressWatch", () => {
  it("follows the system and survives a reset without losing what stayed", async () => {
    const { native } = setUp();
    const book = new AddressBook([], false);
    const seen: string[] = [];
    const onChange = ({ type, local }: AddressBookChange): void => {
      seen.push(`${type} ${local.text}`);
    };
    const [one, two, three] = [host("192.0.2.1"), host("192.0.2.2"), host("192.0.2.3")];
    native.addresses.add(one);
    const watch = new AddressWatch({
      source: native.openAddressSource(),
      book,
      losses: new LossBook(silentLogger),
      onChange,
    });
    await watch.synced;
    native.addresses.add(two);
    native.addresses.add(two);
    await new VirtualClock().settle();
    native.addresses.reset([two, three]);
    await new VirtualClock().settle();
    expect(seen).toEqual(["added 192.0.2.1/24", "added 192.0.2.2", "removed 192.0.2.1/24", "added 192.0.2.3"]);
    await watch.close();
    await watch.close();
  });

  it("does not hold up the start when the source fails", async () => {
    const failing = {
      events: () => {
        throw new Error("no netlink");
      },
      close: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const losses = new LossBook(silentLogger);
    const watch = new AddressWatch({
      source: failing,
      book: new AddressBook([], false),
      losses,
      onChange: () => undefined,
    });
    await watch.synced;
    expect(losses.list()).toEqual([
      { function: "IP addresses of this host as they come and go", reason: "no netlink" },
    ]);
    await watch.close();
  });
});
