import { openNative, type RdmaNetlink } from "../src/index.js";
import { loadBinding } from "../src/load-binding.js";
import { encodeDumpRequest, NETLINK, parseMessages } from "../src/rtnetlink/message.js";
import { fakeBinding, systemError } from "./fake-binding.js";
import { FakeNetlinkSocket } from "./fake-netlink-socket.js";
import { take } from "./support.js";

/** The socket of the kernel's local service over a fake one; what was asked of the addon. */
function open(options?: { readonly fd: number }): { link: RdmaNetlink; socket: FakeNetlinkSocket; calls: unknown[][] } {
  const calls: unknown[][] = [];
  const socket = new FakeNetlinkSocket();
  const give =
    (name: string) =>
    (...args: readonly unknown[]) => {
      calls.push([name, ...args]);
      return socket;
    };
  const binding = fakeBinding({ openNetlink: give("open"), adoptNetlink: give("adopt") });
  return { link: openNative({}, binding).openRdmaNetlink(options), socket, calls };
}

test("a socket of its own joins group 3 of protocol 20; one that was handed over is taken as it is", () => {
  expect(open().calls).toEqual([["open", 20, 4]]);
  expect(open({ fd: 4 }).calls).toEqual([["adopt", 4]]);
});

test("datagrams and overruns come in their order; what is sent goes out as it is", async () => {
  const { link, socket } = open();
  socket.deliver(Buffer.from("a"), Buffer.from("b"));
  socket.overflow();
  socket.deliver(Buffer.from("c"));
  expect(await take(link.events(), 4)).toEqual([
    { type: "datagram", bytes: Buffer.from("a") },
    { type: "datagram", bytes: Buffer.from("b") },
    { type: "overrun" },
    { type: "datagram", bytes: Buffer.from("c") },
  ]);
  link.send(Buffer.from("answer"));
  expect(socket.requests).toEqual([Buffer.from("answer")]);
});

test("what nobody reads stays in the kernel", () => {
  const { socket } = open();
  for (let i = 0; i < 255; i++) socket.deliver(Buffer.from("x"));
  expect(socket.isReading).toBe(true);
  socket.deliver(Buffer.from("x"));
  expect(socket.isReading).toBe(false);
});

test("it ends with close, with the services, and not twice", async () => {
  const { link, socket } = open();
  const pending = link.events().next();
  await link.close();
  await link.close();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(socket.isClosed).toBe(true);
  expect(() => link.send(Buffer.alloc(1))).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" }));
  expect(() => link.events()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" }));

  const later = new FakeNetlinkSocket();
  const native = openNative({}, fakeBinding({ openNetlink: () => later }));
  native.openRdmaNetlink();
  await native.close();
  expect(later.isClosed).toBe(true);
  expect(() => native.openRdmaNetlink()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" }));
});

test.each([
  ["EPERM", 1, "bind", /CAP_NET_ADMIN/],
  ["EPROTONOSUPPORT", 93, "socket", /ib_core/],
])("%s is a coded error that says what to do", (code, errno, syscall, hint) => {
  const binding = fakeBinding({
    openNetlink: () => {
      throw systemError(code, errno, syscall);
    },
  });
  expect(() => openNative({}, binding).openRdmaNetlink()).toThrow(
    expect.objectContaining({
      code: "VERBENA_NATIVE_RDMA_NETLINK",
      errno,
      syscall,
      hint: expect.stringMatching(hint) as string,
    }),
  );
});

test("a socket that cannot be watched is closed, one that breaks fails the reader, one that cannot send says so", async () => {
  const unwatched = new FakeNetlinkSocket();
  unwatched.start = () => {
    throw systemError("EPERM", 1, "epoll_ctl");
  };
  expect(() => openNative({}, fakeBinding({ openNetlink: () => unwatched })).openRdmaNetlink()).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_RDMA_NETLINK" }),
  );
  expect(unwatched.isClosed).toBe(true);

  const { link, socket } = open();
  const pending = link.events().next();
  socket.fail(100);
  await expect(pending).rejects.toMatchObject({ code: "VERBENA_NATIVE_RDMA_NETLINK", errno: 100 });
  socket.send = () => {
    throw systemError("ENOBUFS", 105, "sendto");
  };
  expect(() => link.send(Buffer.alloc(1))).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_RDMA_NETLINK", errno: 105 }),
  );
});

test("the addon takes only netlink sockets over", () => {
  const binding = loadBinding();
  expect(() => binding.adoptNetlink(0x7fff_fffe)).toThrow(expect.objectContaining({ errno: 9, syscall: "getsockopt" }));
  const pipe = process.stdin.fd;
  expect(() => binding.adoptNetlink(pipe)).toThrow(expect.objectContaining({ syscall: "getsockopt" }));
});

test("messages of this kernel come through a socket of the addon as they are sent", async () => {
  const socket = loadBinding().openNetlink(NETLINK.ROUTE, 0);
  const link = openNative({}, fakeBinding({ openNetlink: () => socket })).openRdmaNetlink();
  link.send(encodeDumpRequest(NETLINK.RTM_GETLINK, 7));
  const [event] = await take(link.events(), 1);
  const [message] = event?.type === "datagram" ? parseMessages(event.bytes) : [];
  expect(message).toMatchObject({ type: NETLINK.RTM_NEWLINK, sequence: 7 });
  await link.close();
});
