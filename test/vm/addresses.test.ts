import assert from "node:assert/strict";
import { test } from "node:test";
import { Gid } from "@verbena/ib";
import { type AddressEvent, type HostAddress, openNative } from "@verbena/native";
import { IpoibTap, openNativeWithIpoib } from "./ipoib-tap.js";
import { run } from "./rxe-device.js";

const GID = Gid.parse("fe80::2:c903:0:2");

const onIb7 = (address: string, prefixLength: number): HostAddress => ({
  address,
  prefixLength,
  interfaceName: "ib7",
  gid: GID,
  pkey: 0x8001 as HostAddress["pkey"],
});

/** Reads events up to the first of which `isLast` is true. */
async function upTo(events: AsyncIterator<AddressEvent>, isLast: (event: AddressEvent) => boolean) {
  const seen: AddressEvent[] = [];
  for (;;) {
    const { value, done } = await events.next();
    assert.notEqual(done, true);
    seen.push(value as AddressEvent);
    if (isLast(value as AddressEvent)) return seen;
  }
}

const isSynced = ({ type }: AddressEvent): boolean => type === "synced";

test("addresses come and go with rtnetlink: what is there is listed, then every change follows", async () => {
  using tap = new IpoibTap("ib7");
  run("ip", "addr add 192.0.2.1/24 dev ib7");
  await using native = openNativeWithIpoib(tap.name);
  const events = native.openAddressSource().events();

  // An interface that is up has a link-local address of its own, or has none: it is a tap.
  const listed = (await upTo(events, isSynced)).filter(
    (event) => event.type !== "added" || !event.address.address.startsWith("fe80:"),
  );
  assert.deepEqual(listed, [{ type: "added", address: onIb7("192.0.2.1", 24) }, { type: "synced" }]);

  const steps = [
    ["addr add 192.0.2.2/32 dev ib7", "added", onIb7("192.0.2.2", 32)],
    ["addr add 2001:db8::7/64 dev ib7 nodad", "added", onIb7("2001:db8::7", 64)],
    ["addr add 203.0.113.9/24 dev rdma0", undefined, undefined], // not on an InfiniBand interface
    ["addr del 192.0.2.2/32 dev ib7", "removed", onIb7("192.0.2.2", 32)],
    ["addr del 2001:db8::7/64 dev ib7", "removed", onIb7("2001:db8::7", 64)],
    ["addr del 203.0.113.9/24 dev rdma0", undefined, undefined],
    ["addr del 192.0.2.1/24 dev ib7", "removed", onIb7("192.0.2.1", 24)],
  ] as const;
  for (const [command, type, address] of steps) {
    run("ip", command);
    if (type !== undefined) assert.deepEqual((await events.next()).value, { type, address }, command);
  }
});

test("an interface that goes takes its addresses along", async () => {
  const tap = new IpoibTap("ib7");
  run("ip", "addr add 192.0.2.1/24 dev ib7");
  await using native = openNativeWithIpoib(tap.name);
  const events = native.openAddressSource().events();
  await upTo(events, isSynced);
  tap[Symbol.dispose]();
  const seen = await upTo(events, (event) => event.type === "removed" && event.address.address === "192.0.2.1");
  assert.equal(
    seen.every(({ type }) => type === "removed"),
    true,
  );
});

test("addresses on Ethernet interfaces, RoCE ones included, are no InfiniBand addresses", async () => {
  await using native = openNative();
  assert.deepEqual(await upTo(native.openAddressSource().events(), isSynced), [{ type: "synced" }]);
});
