import { VirtualClock } from "@verbena/core/testing";
import { IpAddress } from "@verbena/ib";
import { RdsStack, TcpTransport } from "../../src/index.js";
import { virtualHost } from "../conformance/user-space-rig.js";
import { SimulatedNetwork } from "./simulated-tcp.js";

/** The smallest address: it is the one that calls again when a connection has gone. */
const HERE = "192.0.2.1";
const DEPARTED = ["192.0.2.2", "192.0.2.3"] as const;
const STRANGER = "192.0.2.4";

/** A stack with room for two peers, which have come, have sent something and do not answer any more; and a third host. */
async function rig() {
  const clock = new VirtualClock();
  const random = (): number => 0.5;
  const wire = new SimulatedNetwork(clock, random);
  const host = { ...virtualHost(clock), random, native: { tcp: wire.tcp } };
  const stacks: RdsStack[] = [];
  const bound = async (address: string, maxPeers?: number) => {
    const transport = new TcpTransport(host, { addresses: [IpAddress.parse(address)] });
    const stack = new RdsStack({ host, transports: [transport], ...(maxPeers === undefined ? {} : { maxPeers }) });
    stacks.push(stack);
    const socket = stack.createSocket();
    await socket.bind(`${address}:4000`);
    return { stack, socket };
  };
  const { stack, socket: here } = await bound(HERE, DEPARTED.length);
  for (const address of DEPARTED) {
    const peer = await bound(address);
    peer.socket.trySend("hello", { to: `${HERE}:4000` });
    await clock.advance(1_000);
    wire.silent.add(address);
    await peer.stack.close();
    await clock.advance(1_000);
    here.tryReceive();
  }
  const { socket: stranger } = await bound(STRANGER);
  const peers = (): unknown =>
    stack.info("connections").map(({ remote, isConnected, isConnecting }) => [remote, isConnected, isConnecting]);
  const close = async (): Promise<void> => {
    for (const one of stacks) await one.close();
  };
  return { clock, here, stranger, peers, close };
}

describe("peers that have gone and are called without end", () => {
  it("make room for others, longest gone first, when there is nothing for them", async () => {
    const { clock, here, stranger, peers, close } = await rig();
    expect(peers()).toEqual(DEPARTED.map((remote) => [remote, false, true]));
    stranger.trySend("news", { to: `${HERE}:4000` });
    await clock.advance(2_000);
    expect(here.tryReceive()).toMatchObject({ type: "message", data: Buffer.from("news") });
    expect(peers()).toEqual([
      [DEPARTED[1], false, true],
      [STRANGER, true, false],
    ]);
    await close();
  });

  it("stay when there is something for them, and others are turned away", async () => {
    const { clock, here, stranger, peers, close } = await rig();
    for (const remote of DEPARTED) here.trySend("later", { to: `${remote}:4000` });
    stranger.trySend("news", { to: `${HERE}:4000` });
    await clock.advance(2_000);
    expect(here.tryReceive()).toBeUndefined();
    expect(peers()).toEqual(DEPARTED.map((remote) => [remote, false, true]));
    await close();
  });
});
