import type { Random } from "@verbena/core/sdk";
import { VirtualClock } from "@verbena/core/testing";
import { IpAddress } from "@verbena/ib";
import { type RdsSocket, type RdsSocketOptions, RdsStack, TcpTransport } from "../../src/index.js";
import { virtualHost } from "../conformance/user-space-rig.js";
import { network, TcpNode } from "./rig.js";
import { SimulatedNetwork } from "./simulated-tcp.js";

const MIB = 1 << 20;

/** Two stacks whose TCP takes up to 2 ms each way, on a clock that the test moves. */
function pair(random: Random = () => 0.99) {
  const clock = new VirtualClock();
  const wire = new SimulatedNetwork(clock, random);
  const host = { ...virtualHost(), clock, random, native: { tcp: wire.tcp } };
  const stackAt = (address: string): RdsStack =>
    new RdsStack({ host, transports: [new TcpTransport(host, { addresses: [IpAddress.parse(address)] })] });
  const stacks = [stackAt("192.0.2.1"), stackAt("192.0.2.2")] as const;
  const socket = async (stack: RdsStack, end: string, options: RdsSocketOptions = {}): Promise<RdsSocket> => {
    const made = stack.createSocket(options);
    await made.bind(end);
    return made;
  };
  return { clock, stacks, socket };
}

describe("a receiver that stops reading", () => {
  it("holds back who sends to its port and nobody else; once it reads again the sender goes on within 100 ms", async () => {
    const { clock, stacks, socket } = pair();
    const here = await socket(stacks[0], "192.0.2.1:4000", { sendBufferSize: 8 * MIB });
    const slow = await socket(stacks[1], "192.0.2.2:4000", { receiveBufferSize: 64 * 1024 });
    const quick = await socket(stacks[1], "192.0.2.2:4001");
    const message = Buffer.alloc(8192, 7);
    /** When the last message was queued. */
    let queuedAt = 0;
    let sent = 0;
    for (; queuedAt === clock.now() - 20 || sent === 0; sent++) {
      void here.send(message, { to: "192.0.2.2:4000" }).then(() => (queuedAt = clock.now()));
      await clock.advance(20);
    }
    // The last one waits.
    sent -= 1;
    // More than the buffer holds has come before the news of it could go the other way: one message, here.
    expect(sent).toBe(64 / 8 + 1);
    expect(() => here.trySend(message, { to: "192.0.2.2:4000" })).toThrow(
      expect.objectContaining({ code: "VERBENA_RDS_ENOBUFS" }) as Error,
    );
    here.trySend("past it", { to: "192.0.2.2:4001" });
    await clock.advance(10);
    expect(quick.tryReceive()).toMatchObject({ type: "message", length: 7 });

    const before = queuedAt;
    await clock.advance(10_000);
    expect(queuedAt).toBe(before);
    const resumed = clock.now();
    for (let left = sent; left > 0; left--) expect(slow.tryReceive()).toMatchObject({ length: 8192 });
    await clock.advance(100);
    expect([queuedAt >= resumed, queuedAt <= resumed + 100]).toEqual([true, true]);
    expect(slow.tryReceive()).toMatchObject({ length: 8192 });
    for (const stack of stacks) await stack.close();
  });
});

test("a message of 64 MiB goes over TCP, one byte more than the stacks allow gives EMSGSIZE", async () => {
  const at = network();
  const stack = { maxMessageSize: 64 * MIB };
  await using here = new TcpNode(at(2), stack, stack);
  await using there = new TcpNode(at(9), stack, stack);
  const from = await here.socket(4000, { sendBufferSize: 128 * MIB });
  const to = await there.socket(4000, { receiveBufferSize: 128 * MIB });
  const data = Buffer.alloc(64 * MIB, "verbena");
  expect(() => from.trySend(Buffer.alloc(64 * MIB + 1), { to: `${there.address}:4000` })).toThrow(
    expect.objectContaining({ code: "VERBENA_RDS_EMSGSIZE" }) as Error,
  );
  expect(await from.send(data, { to: `${there.address}:4000` })).toBe(64 * MIB);
  const item = await to.receive();
  expect(item.type === "message" && item.length === data.length && item.data.equals(data)).toBe(true);
  await from.drain();
});
