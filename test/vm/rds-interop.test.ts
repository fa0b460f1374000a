import { createHost } from "@verbena/core";
import { IpAddress } from "@verbena/ib";
import { type RdsSocket, RdsStack, TcpTransport } from "@verbena/rds";
import { transportIn } from "./kernel-rig.js";
import { endKernelListener, enterOwnNamespace } from "./own-namespace.js";
import { numbered, receiveNumber, receiveNumbered, sendNumbered } from "./rds-numbered.js";
import { run } from "./rxe-device.js";

/** Each way; the machine takes milliseconds for a message. More by RDS_INTEROP_MESSAGES. */
const MESSAGES = Number(process.env["RDS_INTEROP_MESSAGES"] ?? 2000);
const KERNEL = "10.9.0.5";
const OURS = ["10.9.0.4", "10.9.0.6"] as const;
const BUFFERS = { sendBufferSize: 2 << 20, receiveBufferSize: 4 << 20 };
const LIMIT = 10_000;

/** Sends 1000 bytes at a time until the port is known to be congested: how many were taken. */
async function sendUntilCongested(sender: RdsSocket, to: string): Promise<number> {
  for (let count = 0; ; count++) {
    while (!sender.readiness.writable) await sender.writable();
    try {
      sender.trySend(Buffer.alloc(1000), { to });
    } catch (error) {
      expect(error).toMatchObject({ code: "VERBENA_RDS_ENOBUFS" });
      return count;
    }
    // The map needs a turn to come in.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("RDS over TCP with the kernel", () => {
  const host = createHost();
  const kernel = new RdsStack({ host, transports: [transportIn("A", host)] });
  const openOurs = (): RdsStack =>
    new RdsStack({ host, transports: [new TcpTransport(host, { addresses: OURS.map(IpAddress.parse) })] });
  let ours: RdsStack;
  let leave: () => void;
  const sockets: RdsSocket[] = [];
  /** Time-outs of the library do not keep a process alive. */
  const keepAlive = setInterval(() => undefined, 1000);

  async function bound(stack: RdsStack, address: string, port: number, options = {}): Promise<RdsSocket> {
    const socket = stack.createSocket(options);
    sockets.push(socket);
    await socket.bind(address, port);
    return socket;
  }

  beforeAll(() => {
    leave = enterOwnNamespace({ name: "C", kernel: KERNEL, addresses: OURS });
    ours = openOurs();
  });
  afterEach(async () => {
    await Promise.all(sockets.splice(0).map((socket) => socket.close()));
  });
  afterAll(async () => {
    await ours.close();
    await kernel.close();
    await host.close();
    leave();
    clearInterval(keepAlive);
  });

  describe.each([
    ["as the smaller address", OURS[0]],
    ["as the larger address", OURS[1]],
  ] as const)("%s", (_name, address) => {
    test("ping both ways: an empty message to port 0 comes back from it", async () => {
      const [here, there] = [await bound(ours, address, 4000), await bound(kernel, KERNEL, 4000)];
      here.trySend("", { to: `${KERNEL}:0` });
      expect(await here.receive()).toMatchObject({ length: 0, source: { address: KERNEL, port: 0 } });
      there.trySend("", { to: `${address}:0` });
      expect(await there.receive()).toMatchObject({ length: 0, source: { address, port: 0 } });
    });

    test("messages of all sizes both ways at once: in order, whole, none lost and none twice", async () => {
      const [here, there] = [await bound(ours, address, 4000, BUFFERS), await bound(kernel, KERNEL, 4000, BUFFERS)];
      await Promise.all([
        sendNumbered(here, `${KERNEL}:4000`, MESSAGES, 7),
        sendNumbered(there, `${address}:4000`, MESSAGES, 8),
        receiveNumbered(here, MESSAGES),
        receiveNumbered(there, MESSAGES),
      ]);
      expect([here.tryReceive(), there.tryReceive()]).toEqual([undefined, undefined]);
    });

    test.each([
      ["our receiver's port", true],
      ["the kernel's receiver's port", false],
    ] as const)("congestion of %s reaches the other side, and its end does", async (_row, isOurs) => {
      const [to, from] = isOurs ? [address, KERNEL] : [KERNEL, address];
      const [receiving, sending] = isOurs ? [ours, kernel] : [kernel, ours];
      const receiver = await bound(receiving, to, 2000, { receiveBufferSize: LIMIT });
      const sender = await bound(sending, from, 4000);
      const other = await bound(receiving, to, 2001);
      const count = await sendUntilCongested(sender, `${to}:2000`);
      expect(count).toBeGreaterThan(LIMIT / 1000);
      await sender.send("free", { to: `${to}:2001` });
      expect(await other.receive()).toMatchObject({ data: Buffer.from("free") });
      const waiting = sender.send("last", { to: `${to}:2000` });
      for (let received = 0; received < count; received++) {
        expect(await receiver.receive()).toMatchObject({ length: 1000 });
      }
      expect(await waiting).toBe(4);
      expect(await receiver.receive()).toMatchObject({ data: Buffer.from("last") });
    });

    test("what is cancelled while the connection is down never comes, the rest does", async () => {
      const down = await bound(kernel, KERNEL, 4000);
      await ours.close();
      for (const port of [7, 8, 7, 8]) down.trySend(String(port), { to: `${address}:${port}` });
      down.cancel(`${address}:7`);
      ours = openOurs();
      const [seven, eight] = [await bound(ours, address, 7), await bound(ours, address, 8)];
      // Who connects is the smaller address, and it may have nothing to say.
      eight.trySend("", { to: `${KERNEL}:0` });
      const texts: string[] = [];
      while (texts.length < 2) {
        const item = await eight.receive();
        if (item.type === "message" && item.source.port !== 0) texts.push(item.data.toString());
      }
      expect(texts).toEqual(["8", "8"]);
      expect(seven.tryReceive()).toBeUndefined();
    });

    test("our end begins anew in the middle of a stream: the kernel's messages go on in order, none twice, and ours are taken", async () => {
      const there = await bound(kernel, KERNEL, 4000, BUFFERS);
      const first = await bound(ours, address, 4000, BUFFERS);
      const messages = numbered(400, 9);
      const send = async (count: number): Promise<void> => {
        for (; count > 0; count--) await there.send(messages.next().value ?? "", { to: `${address}:4000` });
      };
      await send(200);
      for (let number = 0; number < 100; number++) expect(await receiveNumber(first)).toBe(number);
      // What we have taken and not read goes with us: from here on there is a gap, but no going back.
      await ours.close();
      await send(100);
      ours = openOurs();
      const second = await bound(ours, address, 4000, BUFFERS);
      await second.send("anew", { to: `${KERNEL}:4000` });
      expect(await there.receive()).toMatchObject({ data: Buffer.from("anew"), source: { address, port: 4000 } });
      await send(100);
      const numbers: number[] = [];
      while (numbers.at(-1) !== 399) numbers.push(await receiveNumber(second));
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      expect(numbers.slice(-100)[0]).toBe(300);
      expect(numbers[0]).toBeGreaterThanOrEqual(100);
    });
  });

  test("the kernel's module is loaded anew: its sequence numbers begin at 1 again, and its messages are taken", async () => {
    const [address] = OURS;
    await ours.close();
    run("rmmod", "rds_tcp");
    run("modprobe", "rds_tcp");
    endKernelListener("C");
    ours = openOurs();
    const [here, there] = [await bound(ours, address, 4000, BUFFERS), await bound(kernel, KERNEL, 4000, BUFFERS)];
    await Promise.all([
      sendNumbered(here, `${KERNEL}:4000`, 100, 10),
      sendNumbered(there, `${address}:4000`, 100, 11),
      receiveNumbered(here, 100),
      receiveNumbered(there, 100),
    ]);
    const [connection] = (await there.info("connections")).filter(({ remote }) => remote === address);
    expect(connection).toMatchObject({ isConnected: true });
    expect(connection?.nextTx).toBeLessThan(200n);
  });
});
