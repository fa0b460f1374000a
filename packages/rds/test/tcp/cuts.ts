import type { Random } from "@verbena/core/sdk";
import { VirtualClock } from "@verbena/core/testing";
import { IpAddress } from "@verbena/ib";
import { type RdsSocket, RdsStack, TcpTransport } from "../../src/index.js";
import { SimulatedNetwork } from "./simulated-tcp.js";

/** What a run is to be. */
export interface CutsOptions {
  /** In each direction half of them. */
  readonly messages: number;
  readonly cuts: number;
  readonly random: Random;
}

/** What a run was like. */
export interface CutsResult {
  readonly cuts: number;
  readonly connections: number;
  /** Messages that came flagged as repeated and were known. */
  readonly repeated: number;
  /** Most bytes that were queued on a sending socket. */
  readonly mostQueued: number;
  /** What was wrong; at most a few of it. */
  readonly problems: readonly string[];
}

const ADDRESSES = ["192.0.2.1", "192.0.2.2"] as const;
const PORTS = [4000, 4001, 4002] as const;
const SEND_BUFFER = 64 * 1024;

/** A socket's flow to the socket with its port on the other side: numbered messages of all sizes. */
class Flow {
  #sent = 0;
  #received = 0;

  constructor(
    private readonly from: RdsSocket,
    private readonly to: RdsSocket,
    private readonly count: number,
    private readonly random: Random,
    private readonly problem: (text: string) => void,
  ) {}

  get isDone(): boolean {
    return this.#received >= this.count;
  }

  /** Sends until it is refused. */
  send(): void {
    const { address, port } = this.to.localAddress ?? { address: "", port: 0 };
    while (this.#sent < this.count) {
      const body = Buffer.alloc(4 + Math.floor(this.random() ** 6 * 8000), this.#sent & 0xff);
      body.writeUInt32BE(this.#sent, 0);
      try {
        this.from.trySend(body, { to: { address, port } });
      } catch {
        return;
      }
      this.#sent += 1;
    }
  }

  /** Takes what has come, and compares. */
  receive(): void {
    for (let item = this.to.tryReceive(); item !== undefined; item = this.to.tryReceive()) {
      if (item.type !== "message") continue;
      const number = item.data.readUInt32BE(0);
      const body = item.data.subarray(4);
      if (number !== this.#received || !body.equals(Buffer.alloc(body.length, number & 0xff))) {
        this.problem(
          `port ${item.source.port} of ${item.source.address}: message ${number} instead of ${this.#received}`,
        );
      }
      this.#received = number + 1;
    }
  }
}

/** Two stacks over a network that breaks their connection again and again: every message arrives once and in order, or it is a problem. */
export async function runCuts({ messages, cuts, random }: CutsOptions): Promise<CutsResult> {
  const clock = new VirtualClock();
  const network = new SimulatedNetwork(clock, random);
  const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => silent };
  const host = {
    native: { tcp: network.tcp },
    clock,
    random,
    logger: silent,
    metrics: { increment: nothing, observe: nothing },
  };
  const stacks = ADDRESSES.map((address) => {
    const transport = new TcpTransport(host, { addresses: [IpAddress.parse(address)] });
    return new RdsStack({ host, transports: [transport], wallClockMicros: () => 1e15 + clock.now() * 1000 });
  });
  const problems: string[] = [];
  const flows: Flow[] = [];
  const senders: RdsSocket[] = [];
  for (const port of PORTS) {
    const ends = await Promise.all(
      stacks.map(async (stack, i) => {
        const socket = stack.createSocket({ sendBufferSize: SEND_BUFFER });
        await socket.bind(ADDRESSES[i] ?? "", port);
        return socket;
      }),
    );
    const [a, b] = ends;
    if (a === undefined || b === undefined) throw new Error("two stacks");
    senders.push(a, b);
    const count = Math.ceil(messages / (2 * PORTS.length));
    const note = (text: string): void => {
      if (problems.length < 20) problems.push(text);
    };
    flows.push(new Flow(a, b, count, random, note), new Flow(b, a, count, random, note));
  }
  let done = 0;
  let mostQueued = 0;
  let quiet = 0;
  const interval = messages / (cuts + 1);
  for (let delivered = 0; flows.some((flow) => !flow.isDone); ) {
    for (const flow of flows) flow.send();
    await clock.advance(1 + random() * 5);
    for (const flow of flows) flow.receive();
    const now = counter(stacks, "recv_delivered");
    quiet = now === delivered ? quiet + 1 : 0;
    delivered = now;
    if (quiet > 10_000) {
      problems.push(`nothing moves any more after ${delivered} messages and ${done} cuts`);
      break;
    }
    mostQueued = Math.max(mostQueued, queuedBytes(stacks));
    if (done < cuts && delivered >= (done + random()) * interval && network.cut()) done += 1;
  }
  const repeated = counter(stacks, "recv_drop_old_seq");
  for (const stack of stacks) await stack.close();
  return { cuts: done, connections: network.connections, repeated, mostQueued, problems };
}

function nothing(): void {
  // Nobody listens.
}

function counter(stacks: readonly RdsStack[], name: string): number {
  return stacks.reduce(
    (sum, stack) => sum + Number(stack.info("counters").find((each) => each.name === name)?.value ?? 0n),
    0,
  );
}

function queuedBytes(stacks: readonly RdsStack[]): number {
  return Math.max(
    ...stacks.map((stack) =>
      [...stack.info("sendQueue"), ...stack.info("retransmitQueue")].reduce((sum, { length }) => sum + length, 0),
    ),
  );
}
