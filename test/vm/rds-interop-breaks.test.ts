import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createHost } from "@verbena/core";
import { IpAddress } from "@verbena/ib";
import { type RdsSocket, RdsStack, TcpTransport } from "@verbena/rds";
import { CuttingProxy } from "./cutting-proxy.js";
import { transportIn } from "./kernel-rig.js";
import { enterOwnNamespace } from "./own-namespace.js";
import { numbered, receiveNumber, receiveNumbered, sendNumbered } from "./rds-numbered.js";
import { run } from "./rxe-device.js";

const KERNEL = "10.12.0.5";
const OURS = ["10.12.0.4", "10.12.0.6"] as const;
/** The proxy, as the kernel knows it and as we do: each is in the order of addresses as the side it stands for. */
const PROXY = { kernelsPeer: "10.12.0.3", ourPeer: "10.12.0.9" } as const;
const RDS_TCP_PORT = 16_385;
/** Not the kernel's port, which it takes in every namespace when its module is loaded. */
const OUR_PORT = 26_385;
const BUFFERS = { sendBufferSize: 4 << 20, receiveBufferSize: 4 << 20 };

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What must hold whatever breaks: each number once at most, and in order. */
function expectRising(numbers: readonly number[]): void {
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
}

describe("RDS over TCP with the kernel, when something breaks", () => {
  const host = createHost();
  const kernel = new RdsStack({ host, transports: [transportIn("A", host)] });
  const sockets: RdsSocket[] = [];
  const keepAlive = setInterval(() => undefined, 1000);
  let leave: () => void;

  async function bound(stack: RdsStack, address: string, port: number): Promise<RdsSocket> {
    const socket = stack.createSocket(BUFFERS);
    sockets.push(socket);
    await socket.bind(address, port);
    return socket;
  }

  beforeAll(() => {
    const addresses = [...OURS, PROXY.kernelsPeer, PROXY.ourPeer];
    leave = enterOwnNamespace({ name: "F", kernel: KERNEL, addresses });
  });
  afterEach(async () => {
    await Promise.all(sockets.splice(0).map((socket) => socket.close()));
  });
  afterAll(async () => {
    await kernel.close();
    await host.close();
    leave();
    clearInterval(keepAlive);
  });

  describe.each([
    ["as the smaller address", OURS[0]],
    ["as the larger address", OURS[1]],
  ] as const)("%s", (_name, address) => {
    test("our process is killed in the middle of a stream and begins anew: what comes back is in order, none twice, and all of what was sent since", async () => {
      const there = await bound(kernel, KERNEL, 4000);
      const start = (): ChildProcess =>
        spawn(process.execPath, [join(dirname(__filename), "rds-echo-entry.js"), address, "4000", `${KERNEL}:4000`], {
          stdio: "inherit",
        });
      const here = async (): Promise<void> => {
        for (;;) {
          const item = await there.receive();
          if (item.type !== "message") continue;
          if (item.data.toString() === "here") return;
          numbers.push(item.data.readUInt32BE());
        }
      };
      const numbers: number[] = [];
      const messages = numbered(120, 12);
      const send = async (count: number): Promise<void> => {
        for (; count > 0; count--) await there.send(messages.next().value ?? "", { to: `${address}:4000` });
      };
      const first = start();
      await here();
      const sending = send(80);
      while (numbers.length < 20) numbers.push(await receiveNumber(there));
      first.kill("SIGKILL");
      await once(first, "exit");
      await sending;
      const second = start();
      await here();
      await send(40);
      while (numbers.at(-1) !== 119) numbers.push(await receiveNumber(there));
      second.kill("SIGKILL");
      await once(second, "exit");
      expectRising(numbers);
      expect(numbers.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, i) => i));
      expect(numbers.slice(-40)[0]).toBe(80);
    });
  });

  describe("through a proxy", () => {
    let proxy: CuttingProxy;
    let ours: RdsStack;

    beforeAll(async () => {
      proxy = await CuttingProxy.listen({
        listen: { address: PROXY.ourPeer, port: OUR_PORT },
        to: { address: KERNEL, port: RDS_TCP_PORT },
        from: PROXY.kernelsPeer,
      });
      const transport = new TcpTransport(host, { port: OUR_PORT, addresses: [IpAddress.parse(OURS[0])] });
      ours = new RdsStack({ host, transports: [transport] });
    });
    afterAll(async () => {
      await ours.close();
      await proxy[Symbol.asyncDispose]();
    });

    test("a connection that is cut in the middle of messages is made again: what has come is in order, none twice, and all of what was sent since", async () => {
      const [here, there] = [await bound(ours, OURS[0], 4000), await bound(kernel, KERNEL, 4000)];
      const [toKernel, toUs] = [numbered(240, 13), numbered(240, 14)];
      const [atKernel, atUs]: [number[], number[]] = [[], []];
      const send = async (from: RdsSocket, to: string, messages: Generator<Buffer>, count: number): Promise<void> => {
        for (; count > 0; count--) await from.send(messages.next().value ?? "", { to });
      };
      const both = (count: number): Promise<unknown> =>
        Promise.all([
          send(here, `${PROXY.ourPeer}:4000`, toKernel, count),
          send(there, `${PROXY.kernelsPeer}:4000`, toUs, count),
        ]);
      const until = async (socket: RdsSocket, numbers: number[], last: number): Promise<void> => {
        while ((numbers.at(-1) ?? -1) < last) numbers.push(await receiveNumber(socket));
      };
      for (const bytes of [200_000, 333_333, 77_777]) {
        const cut = proxy.cutAfter(bytes);
        await Promise.all([both(60), cut]);
      }
      // What the proxy had acknowledged and not carried on is lost: it is the proxy that has it. What comes now is not.
      await both(60);
      await Promise.all([until(there, atKernel, 239), until(here, atUs, 239)]);
      expect(proxy.connections).toBeGreaterThanOrEqual(4);
      for (const numbers of [atKernel, atUs]) {
        expectRising(numbers);
        expect(numbers.slice(-40)[0]).toBe(200);
      }
    });

    test("the kernel's module is loaded anew while our engine lives on: what waited meanwhile and what comes then is taken, both ways", async () => {
      const here = await bound(ours, OURS[0], 4001);
      const before = await bound(kernel, KERNEL, 4001);
      await here.send("before", { to: `${PROXY.ourPeer}:4001` });
      expect(await before.receive()).toMatchObject({ data: Buffer.from("before") });
      await before.close();
      proxy.isOpen = false;
      run("rmmod", "rds_tcp");
      // Until then the proxy would take what is sent, and lose it.
      while (ours.info("connections").some(({ isConnected }) => isConnected)) await turn();
      await here.send("meanwhile", { to: `${PROXY.ourPeer}:4001` });
      run("modprobe", "rds_tcp");
      const there = await bound(kernel, KERNEL, 4001);
      proxy.isOpen = true;
      expect(await there.receive()).toMatchObject({ data: Buffer.from("meanwhile") });
      await Promise.all([
        sendNumbered(here, `${PROXY.ourPeer}:4001`, 100, 15),
        sendNumbered(there, `${PROXY.kernelsPeer}:4001`, 100, 16),
        receiveNumbered(here, 100),
        receiveNumbered(there, 100),
      ]);
      const [connection] = (await there.info("connections")).filter(({ remote }) => remote === PROXY.kernelsPeer);
      expect(connection?.nextTx).toBeLessThan(200n);
    });
  });
});
