import { RtnetlinkAddressSource } from "../src/addresses/rtnetlink-source.js";
import { openNative } from "../src/index.js";
import { loadBinding } from "../src/load-binding.js";
import { encodeDumpRequest, NETLINK, parseMessages } from "../src/rtnetlink/message.js";
import { FakeNetlinkSocket } from "./fake-netlink-socket.js";
import { take } from "./support.js";

test("this kernel lists its links, the loopback interface among them", async () => {
  const socket = loadBinding().openNetlink(NETLINK.ROUTE, NETLINK.GROUP_LINK);
  const types = await new Promise<readonly number[]>((resolve, reject) => {
    const seen: number[] = [];
    socket.start(
      (datagrams) => {
        for (const datagram of datagrams) seen.push(...parseMessages(datagram).map((message) => message.type));
        if (seen.includes(NETLINK.NLMSG_DONE)) resolve(seen);
      },
      () => undefined,
      reject,
    );
    socket.send(encodeDumpRequest(NETLINK.RTM_GETLINK, 1));
  });
  expect(types[0]).toBe(NETLINK.RTM_NEWLINK);
  expect(types.at(-1)).toBe(NETLINK.NLMSG_DONE);
  socket.close();
});

test("the address source of a host is synced after the first listing, and ends on close", async () => {
  await using native = openNative();
  const source = native.openAddressSource();
  const events = source.events();
  for (;;) {
    const [event] = await take(events, 1);
    if (event?.type === "synced") break;
    expect(event?.type).toBe("added"); // an IPoIB interface of the machine
  }
  const pending = events.next();
  await source.close();
  await source.close();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(() => source.events()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" }));
});

test("closing the services closes the source", async () => {
  const native = openNative();
  const events = native.openAddressSource().events();
  await native.close();
  expect((await events.next()).done).toBe(true);
});

test("a protocol that the kernel does not have is a coded error", () => {
  expect(
    () =>
      new RtnetlinkAddressSource({
        openNetlink: (_protocol, groups) => loadBinding().openNetlink(255, groups),
      }),
  ).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_NETLINK", errno: 93, syscall: "socket" }));
});

test("an overflow is a reset and a new listing; a broken socket fails the reader", async () => {
  const socket = new FakeNetlinkSocket();
  await using source = new RtnetlinkAddressSource({ openNetlink: () => socket });
  const events = source.events();
  expect(socket.requests).toHaveLength(1);
  socket.overflow();
  expect(await take(events, 1)).toEqual([{ type: "reset" }]);
  const pending = events.next();
  socket.fail(100);
  await expect(pending).rejects.toMatchObject({ code: "VERBENA_NATIVE_NETLINK", errno: 100 });
});

test("malformed bytes end the source with a coded error", async () => {
  const socket = new FakeNetlinkSocket();
  await using source = new RtnetlinkAddressSource({ openNetlink: () => socket });
  const pending = source.events().next();
  socket.deliver(Buffer.alloc(5));
  await expect(pending).rejects.toMatchObject({ code: "VERBENA_NATIVE_NETLINK_MESSAGE" });
  expect(socket.isReading).toBe(false);
});
