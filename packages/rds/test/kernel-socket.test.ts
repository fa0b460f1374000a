import { constants, endianness } from "node:os";
import { VirtualClock } from "@verbena/core/testing";
import { IpAddress } from "@verbena/ib";
import { RdsStack } from "../src/index.js";
import { KernelSocket } from "../src/kernel/kernel-socket.js";
import { KernelTransport } from "../src/kernel/kernel-transport.js";
import { virtualHost } from "./conformance/user-space-rig.js";
import { FakeKernelSocket, failed, kernelMessage } from "./fake-kernel-socket.js";

const { EADDRINUSE, EAGAIN, EIO, ENOBUFS, EMSGSIZE } = constants.errno;
const SO_SNDBUFFORCE = 32;
const end = (port: number, address = "10.0.0.1") => ({ address: IpAddress.parse(address), port, scopeId: 0 });
const int = (value: number): Buffer => Buffer.from(Int32Array.of(value).buffer);
const update = (mask: bigint) => ({ level: 276, type: 5, data: Buffer.from(BigUint64Array.of(mask).buffer) });
const bit = (port: number) => 1n << BigInt(port % 64);

function open(forceBuffers = false) {
  const kernel = new FakeKernelSocket();
  const clock = new VirtualClock();
  const told: string[] = [];
  const events = {
    readable: () => void told.push("readable"),
    writable: () => void told.push("writable"),
    uncongested: () => void told.push("uncongested"),
  };
  return { kernel, clock, told, socket: new KernelSocket(kernel, events, { clock, forceBuffers }) };
}

test("the kernel's congestion monitoring is on from the start, and needs no room for control messages", () => {
  const { kernel } = open();
  expect(kernel.options.get("276 6")).toEqual(int(1));
  expect(kernel.controlSize).toBe(0);
});

test("bind tells the port that the kernel has chosen; a refusal has its errno", async () => {
  const { kernel, socket } = open();
  expect(await socket.bind(end(0))).toEqual(end(4242));
  kernel.bindError = failed(EADDRINUSE);
  await expect(socket.bind(end(7))).rejects.toMatchObject({ code: "VERBENA_RDS_EADDRINUSE", errno: EADDRINUSE });
  kernel.bindError = failed(EIO);
  await expect(socket.bind(end(7))).rejects.toMatchObject({ code: "VERBENA_RDS_KERNEL", errno: EIO });
});

test("a bind that may not force the buffers has the errno, and keeps no descriptor", async () => {
  const kernels: FakeKernelSocket[] = [];
  const sockets = {
    open: () => {
      const kernel = new FakeKernelSocket();
      kernel.optionErrors.set(`1 ${SO_SNDBUFFORCE}`, failed(constants.errno.EPERM));
      kernels.push(kernel);
      return kernel;
    },
  };
  const host = virtualHost();
  const transport = new KernelTransport({ sockets, clock: host.clock, forceBuffers: true });
  await using stack = new RdsStack({ host, transports: [transport] });
  const refused = expect.objectContaining({ code: "VERBENA_RDS_KERNEL", errno: constants.errno.EPERM });
  await expect(stack.createSocket().bind("10.0.0.1", 7)).rejects.toEqual(refused);
  expect(kernels.filter(({ calls }) => !calls.includes("close"))).toEqual([]);
});

test("the length, and 0 for a message that is not empty, mean that it was taken", () => {
  const { kernel, socket } = open();
  kernel.sendResults = [5, 0, -EMSGSIZE];
  const sends = Array.from({ length: 3 }, () => socket.trySend(end(7), Buffer.from("hello")));
  expect(sends).toEqual([undefined, undefined, "EMSGSIZE"]);
});

test("a full queue is waited for, and told once there is room", () => {
  const { kernel, socket, told } = open();
  kernel.sendResults = [-EAGAIN];
  expect(socket.trySend(end(7), Buffer.from("x"))).toBe("EAGAIN");
  kernel.happen({ writable: true });
  kernel.happen({ writable: true });
  expect(told).toEqual(["writable"]);
  expect(kernel.watched.writable).toBe(false);
});

test("a congested port: the notification is taken off the queue, ahead of a message that nobody takes", async () => {
  const { kernel, socket, told } = open();
  kernel.sendResults = [-ENOBUFS];
  expect(socket.trySend(end(7), Buffer.from("x"))).toBe("ENOBUFS");
  expect(kernel.watched.readable).toBe(true);
  kernel.waiting.push(kernelMessage(""), kernelMessage("data", end(9)));
  kernel.happen({ readable: true });
  await Promise.resolve();
  expect(told).toEqual(["uncongested"]);
  expect(kernel.watched.readable).toBe(false);
  expect(socket.tryReceive()).toMatchObject({ type: "message", data: Buffer.from("data"), source: end(9) });
});

test("a message is received into memory of the program's own, as much as fits", () => {
  const { kernel, socket } = open();
  const into = Buffer.alloc(2);
  kernel.waiting.push(kernelMessage("data", end(9)));
  expect(socket.tryReceive({ into })).toMatchObject({ data: Buffer.from("da"), length: 4 });
  expect(into.toString()).toBe("da");
});

test("a notification whose wake-up was lost is found after a second, without end to the waiting", async () => {
  const { kernel, socket, told, clock } = open();
  kernel.sendResults = [-ENOBUFS];
  socket.trySend(end(7), Buffer.from("x"));
  await clock.advance(999);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(told).toEqual(["uncongested"]);
  kernel.waiting.push(kernelMessage(""));
  await clock.advance(1000);
  expect(told).toEqual(["uncongested", "uncongested", "uncongested"]);
  await clock.advance(10_000);
  expect(told).toHaveLength(3);
});

test("monitoring: the program is told of the ports of its mask alone", () => {
  const { kernel, socket } = open();
  socket.monitorCongestion(bit(2000));
  expect(kernel.controlSize).toBeGreaterThanOrEqual(24);
  kernel.sendResults = [-ENOBUFS, -ENOBUFS];
  socket.trySend(end(2000), Buffer.from("x"));
  socket.trySend(end(3), Buffer.from("x"));
  kernel.waiting.push(kernelMessage("", undefined, [update(bit(2000) | bit(3))]));
  expect(socket.isReadable).toBe(true);
  expect(socket.tryReceive()).toEqual({ type: "congestion", ports: bit(2000) });
  expect([socket.tryReceive(), socket.monitoredPorts]).toEqual([undefined, bit(2000)]);
  socket.monitorCongestion(undefined);
  expect([kernel.controlSize, socket.monitoredPorts]).toEqual([0, undefined]);
});

test("readable in vain surfaces nothing, and is watched on", () => {
  const { kernel, socket, told } = open();
  expect(socket.tryReceive()).toBeUndefined();
  kernel.happen({ readable: true });
  expect(told).toEqual([]);
  kernel.waiting.push(kernelMessage("x", end(9)));
  kernel.happen({ readable: true });
  expect(told).toEqual(["readable"]);
  expect(socket.isReadable).toBe(true);
});

test("limits are half of what the kernel counts; beyond the system's only when forced", () => {
  const { kernel, socket } = open();
  kernel.options.set("1 7", int(212_992));
  expect(socket.limits.sendBufferSize).toBe(106_496);
  socket.limits.receiveBufferSize = 10_000;
  expect(kernel.options.get("1 8")).toEqual(int(10_000));
  const forced = open(true);
  forced.socket.limits.sendBufferSize = 2 ** 21;
  forced.socket.limits.receiveBufferSize = 2 ** 32;
  expect(forced.kernel.options.get("1 32")).toEqual(int(2 ** 21));
  expect(forced.kernel.options.get("1 33")).toEqual(int(0x3fff_ffff));
});

const describeLittle = endianness() === "LE" ? describe : describe.skip;
describeLittle("the kernel's queues", () => {
  // rds6_info_message: sequence, length, both addresses, both ports, flags, type of service.
  const queued = (local: string, localPort: number, remote: string, port: number) => {
    const entry = Buffer.alloc(50);
    for (const [address, at] of [
      [local, 12],
      [remote, 28],
    ] as const) {
      entry.fill(0xff, at + 10, at + 12);
      IpAddress.bytes(IpAddress.parse(address)).copy(entry, at + 12);
    }
    entry.writeUInt16BE(localPort, 44);
    entry.writeUInt16BE(port, 46);
    return entry;
  };
  const list = (...entries: readonly Buffer[]) => ({ elementSize: 50, bytes: Buffer.concat(entries) });

  test("drain waits until they hold nothing of this socket, which nobody but the lists tells", async () => {
    const { kernel, clock } = open();
    const transport = new KernelTransport({ clock, sockets: { open: () => kernel } });
    const stack = new RdsStack({ host: virtualHost(clock), transports: [transport] });
    const socket = stack.createSocket();
    await socket.bind("10.0.0.1:4000");
    const others = queued("10.0.0.1", 4001, "10.0.0.2", 8);
    kernel.lists.set(10_012, list(queued("10.0.0.1", 4000, "10.0.0.2", 7), others));
    let isDrained = false;
    const drained = socket.drain().then(() => {
      isDrained = true;
    });
    await clock.advance(1000);
    kernel.lists.set(10_012, list(others));
    kernel.lists.set(10_013, list(queued("10.0.0.1", 4000, "10.0.0.2", 7)));
    await clock.advance(1000);
    expect(isDrained).toBe(false);
    kernel.lists.set(10_013, list());
    await clock.advance(20);
    await drained;
    await stack.close();
  });

  test("cancel without a destination drops what the kernel's queues hold of this socket, once for each destination", async () => {
    const { kernel, socket } = open();
    await socket.bind(end(4000));
    const own = queued("10.0.0.1", 4000, "10.0.0.2", 7);
    kernel.lists.set(10_012, list(own, own, queued("10.0.0.1", 4001, "10.0.0.2", 8)));
    kernel.lists.set(10_013, list(queued("10.0.0.1", 4000, "10.0.0.3", 7)));
    socket.cancel();
    expect(kernel.calls).toEqual(["cancel 10.0.0.2 7", "cancel 10.0.0.3 7"]);
  });

  test("cancel of one destination names it", () => {
    const { kernel, socket } = open();
    socket.cancel(end(7, "10.0.0.2"));
    expect(kernel.calls).toEqual(["cancel 10.0.0.2 7"]);
  });
});

test("lists that the kernel does not have are empty", async () => {
  const { socket } = open();
  expect(await socket.info("tcpSockets")).toEqual([]);
});

test("the transport claims what a socket can be bound to, and nothing without the module", () => {
  const clock = new VirtualClock();
  const kernel = new FakeKernelSocket();
  const transport = new KernelTransport({ clock, sockets: { open: () => kernel } });
  expect(transport.claims(end(0))).toBe(true);
  kernel.bindError = failed(constants.errno.EADDRNOTAVAIL);
  expect(transport.claims(end(0))).toBe(false);
  expect(kernel.calls).toEqual(["close", "close"]);
  const missing = {
    open: () => {
      throw failed(constants.errno.EAFNOSUPPORT);
    },
  };
  expect(new KernelTransport({ clock, sockets: missing }).claims(end(0))).toBe(false);
});

test("the kernel is told of the default destination", () => {
  const { kernel, socket } = open();
  socket.connected = undefined;
  socket.connected = end(7);
  expect([kernel.calls, socket.connected]).toEqual([["connect 7"], end(7)]);
});

test("close ends the socket and every wait for it", async () => {
  const { kernel, socket, told, clock } = open();
  kernel.sendResults = [-ENOBUFS];
  socket.trySend(end(7), Buffer.from("x"));
  await socket.close();
  await clock.advance(10_000);
  expect(kernel.calls).toEqual(["close"]);
  expect(told).toEqual([]);
});
