import { constants } from "node:os";
import { IpAddress } from "@verbena/ib";
import { type KernelRdsMessage, type KernelRdsReadiness, openNative } from "../src/index.js";
import { loadBinding } from "../src/load-binding.js";
import { fakeBinding, systemError } from "./fake-binding.js";
import { udpBinding, udpSocket } from "./udp-rds.js";

const { EAGAIN, EBADF, EDESTADDRREQ } = constants.errno;
/** SO_TIMESTAMP of SOL_SOCKET. */
const [SOL_SOCKET, SO_TIMESTAMP] = [1, 29];

async function pair() {
  const [a, b] = [await udpSocket(), await udpSocket()];
  return {
    sender: a.socket,
    receiver: b.socket,
    from: a.address,
    to: b.address,
    [Symbol.dispose]() {
      a.socket.close();
      b.socket.close();
    },
  };
}

/** The next time that something has happened of what the socket watches for. */
function nextReady(socket: Awaited<ReturnType<typeof udpSocket>>["socket"]): () => Promise<KernelRdsReadiness> {
  const waiting: ((what: KernelRdsReadiness) => void)[] = [];
  socket.onReady(
    (what) => waiting.shift()?.(what),
    (error) => {
      throw error;
    },
  );
  return () => new Promise((resolve) => waiting.push(resolve));
}

test("a message comes whole, with its sender, and without control messages unless there is room for them", async () => {
  using rig = await pair();
  expect(rig.sender.send(Buffer.from("hello"), rig.to)).toBe(5);
  expect(rig.receiver.receive()).toEqual({
    data: Buffer.from("hello"),
    length: 5,
    source: rig.from,
    isTruncated: false,
    isControlTruncated: false,
    control: [],
  });
  expect(rig.receiver.receive()).toBe(-EAGAIN);
});

test("parts make one message, also when there are more than the system takes at once", async () => {
  using rig = await pair();
  expect(rig.sender.send([Buffer.from("he"), Buffer.alloc(0), Buffer.from("llo")], rig.to)).toBe(5);
  expect(
    rig.sender.send(
      Array.from({ length: 3000 }, (_, i) => Buffer.from([i & 255])),
      rig.to,
    ),
  ).toBe(3000);
  expect(rig.receiver.receiveMany(8)).toEqual([
    expect.objectContaining({ data: Buffer.from("hello") }),
    expect.objectContaining({ data: Buffer.from(Array.from({ length: 3000 }, (_, i) => i & 255)) }),
  ]);
});

test("a shorter limit cuts the message and tells its length; a look leaves it", async () => {
  using rig = await pair();
  rig.sender.send(Buffer.from("hello world"), rig.to);
  const cut = { data: Buffer.from("hell"), length: 11, isTruncated: true };
  expect(rig.receiver.receive({ limit: 4, peek: true })).toMatchObject(cut);
  expect(rig.receiver.receive({ limit: 0, peek: true })).toMatchObject({ ...cut, data: Buffer.alloc(0) });
  expect(rig.receiver.receive({ limit: 4 })).toMatchObject(cut);
  expect(rig.receiver.receive()).toBe(-EAGAIN);
});

test("an empty message has a sender", async () => {
  using rig = await pair();
  expect(rig.sender.send(Buffer.alloc(0), rig.to)).toBe(0);
  expect(rig.receiver.receive()).toMatchObject({ data: Buffer.alloc(0), length: 0, source: rig.from });
});

test("control messages of options that are on come with the message", async () => {
  using rig = await pair();
  rig.receiver.setOption(SOL_SOCKET, SO_TIMESTAMP, Buffer.from(Int32Array.of(1).buffer));
  rig.sender.send(Buffer.from("a"), rig.to);
  expect(rig.receiver.receive()).toMatchObject({ control: [], isControlTruncated: true });
  rig.receiver.setControlSize(112);
  rig.sender.send(Buffer.from("b"), rig.to);
  const { control } = rig.receiver.receive() as KernelRdsMessage;
  expect(control).toEqual([{ level: SOL_SOCKET, type: SO_TIMESTAMP, data: expect.any(Buffer) as Buffer }]);
  expect(control[0]?.data).toHaveLength(16);
});

test("what happens is told once, and only while it is watched for", async () => {
  using rig = await pair();
  const next = nextReady(rig.receiver);
  rig.sender.send(Buffer.from("early"), rig.to);
  rig.receiver.watch({ readable: true });
  expect(await next()).toMatchObject({ readable: true, failed: false });
  // The message is still there: nothing new has happened until another one comes.
  const second = next();
  rig.sender.send(Buffer.from("late"), rig.to);
  expect((await second).readable).toBe(true);
  rig.receiver.watch({});
  expect(rig.receiver.receiveMany(8)).toHaveLength(2);
});

test("what is the case is there to be asked", async () => {
  using rig = await pair();
  expect(rig.receiver.ready()).toEqual({ readable: false, writable: true, failed: false });
  rig.sender.send(Buffer.from("x"), rig.to);
  expect(rig.receiver.ready()).toEqual({ readable: true, writable: true, failed: false });
});

test("bound, connected and named", async () => {
  using rig = await pair();
  expect(rig.receiver.localAddress()).toEqual(rig.to);
  expect(rig.sender.remoteAddress()).toBeUndefined();
  expect(rig.sender.send(Buffer.from("x"))).toBe(-EDESTADDRREQ);
  rig.sender.connect(rig.to);
  expect(rig.sender.remoteAddress()).toEqual(rig.to);
  expect(rig.sender.send(Buffer.from("x"))).toBe(1);
  expect(() => rig.sender.bind({ address: IpAddress.parse("127.0.0.1"), port: 1 })).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_RDS", syscall: "bind" }),
  );
});

test("an option that the socket does not know is refused with its errno", async () => {
  using rig = await pair();
  const refused = expect.objectContaining({ code: "VERBENA_NATIVE_RDS", errno: expect.any(Number) as number });
  expect(() => rig.receiver.info(10_000)).toThrow(refused);
  expect(() => rig.receiver.cancel(rig.from)).toThrow(refused);
  expect(() => rig.receiver.typeOfService()).toThrow(refused);
  expect(rig.receiver.getOption(SOL_SOCKET, SO_TIMESTAMP, 8)).toHaveLength(4);
});

test("it closes twice, in its own event too, and everything else is refused afterwards", async () => {
  using rig = await pair();
  const heard = new Promise<void>((resolve, reject) => {
    rig.receiver.onReady(() => {
      rig.receiver.close();
      resolve();
    }, reject);
  });
  rig.receiver.watch({ readable: true });
  rig.sender.send(Buffer.from("x"), rig.to);
  await heard;
  rig.receiver.close();
  const closed = expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" });
  for (const call of [
    () => rig.receiver.receive(),
    () => rig.receiver.send(Buffer.alloc(1), rig.from),
    () => rig.receiver.localAddress(),
    () => rig.receiver.remoteAddress(),
    () => {
      rig.receiver.watch({});
    },
  ]) {
    expect(call).toThrow(closed);
  }
});

test("the addon refuses what is no bytes, no address and no block", async () => {
  const { binding } = await udpBinding();
  for (const call of [
    () => binding.send("text" as never, undefined, undefined),
    () => binding.send([1] as never, undefined, undefined),
    () => binding.send(Buffer.alloc(1), 4 as never, undefined),
    () => binding.receive(Buffer.alloc(63), 1, 0, false),
    () => binding.receive(Buffer.alloc(64), 0, 0, false),
    () => binding.receive(Buffer.alloc(64), 1, -1, false),
    () => binding.receive("x" as never, 1, 0, false),
    () => binding.bind("x" as never),
    () => {
      binding.watch(-1);
    },
  ]) {
    expect(call).toThrow(expect.objectContaining({ name: "TypeError" }));
  }
  binding.close();
  expect(() => binding.send(Buffer.alloc(1), undefined, undefined)).toThrow(expect.objectContaining({ errno: EBADF }));
  expect(() => loadBinding().duplicateRds(9999)).toThrow(expect.objectContaining({ code: "EBADF" }));
});

test("a kernel without the module says what to load", async () => {
  const binding = fakeBinding({
    openRds: () => {
      throw systemError("EAFNOSUPPORT", 97, "socket");
    },
  });
  await using native = openNative({}, binding);
  expect(() => native.kernelRds.open()).toThrow(
    expect.objectContaining({
      code: "VERBENA_NATIVE_RDS",
      errno: 97,
      hint: expect.stringContaining("modprobe rds") as string,
    }),
  );
});

test("sockets close with the services that they came from", async () => {
  const { binding } = await udpBinding();
  const native = openNative({}, fakeBinding({ openRds: () => binding }));
  const socket = native.kernelRds.open();
  expect(socket.receive()).toBe(-EAGAIN);
  await native.close();
  const closed = expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" });
  expect(() => socket.receive()).toThrow(closed);
  expect(() => native.kernelRds.open()).toThrow(closed);
});
