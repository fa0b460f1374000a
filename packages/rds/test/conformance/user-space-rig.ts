import { noMetrics, silentLogger } from "@verbena/core";
import type { MessageTransport } from "@verbena/core/sdk";
import { VirtualClock } from "@verbena/core/testing";
import {
  LoopTransport,
  type RdsSocket,
  type RdsSocketOptions,
  RdsStack,
  type RdsStackOptions,
} from "../../src/index.js";
import { MemoryNetwork } from "../support/memory-network.js";
import type { Rig } from "./rig.js";

const LOCAL = ["10.0.0.5", "10.0.0.6"] as const;

/** Services of a host whose time stands until it is told to pass, and whose chance repeats itself. */
export function virtualHost(clock = new VirtualClock()) {
  let state = 12_345;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return { clock, random, logger: silentLogger, metrics: noMetrics };
}

/** The user-space engine: loopback, and a network in memory between two stacks. */
export class UserSpaceRig implements Rig {
  readonly backEnd = "user-space";
  readonly loopback = ["127.0.0.1", "127.0.0.2"] as const;
  readonly local = LOCAL;
  readonly transports = ["loopback", "memory"] as const;
  readonly networkTransport = "memory";
  readonly keepsForeignMaps = true;
  readonly peer: Rig["peer"];
  readonly network = new MemoryNetwork();
  readonly clock: VirtualClock;
  readonly stack: RdsStack;
  readonly peerStack: RdsStack;
  readonly #others: RdsStack[] = [];
  #sockets: RdsSocket[] = [];

  /** `transportsOf` gives those of the stack, in place of loopback and the network. */
  constructor(
    peerAddress = "10.0.0.9",
    options: Omit<RdsStackOptions, "host" | "transports"> = {},
    transportsOf = (network: MemoryNetwork): readonly MessageTransport[] => [
      new LoopTransport(),
      network.host(...LOCAL),
    ],
    clock = new VirtualClock(),
  ) {
    this.clock = clock;
    const host = virtualHost(this.clock);
    const transports = transportsOf(this.network);
    this.stack = new RdsStack({ host, transports, ...options });
    this.peerStack = new RdsStack({ host, transports: [this.network.host(peerAddress)], ...options });
    this.network.leave(peerAddress);
    this.peer = {
      address: peerAddress,
      socket: (given) => this.#opened(this.peerStack.createSocket(given)),
      appear: async () => {
        this.network.join(peerAddress);
        await this.settle();
      },
      vanish: async () => {
        this.network.leave(peerAddress);
        await this.settle();
      },
    };
  }

  socket(options?: RdsSocketOptions): RdsSocket {
    return this.#opened(this.stack.createSocket(options));
  }

  /** Another host on the network. */
  host(address: string): RdsStack {
    const stack = new RdsStack({ host: virtualHost(this.clock), transports: [this.network.host(address)] });
    this.#others.push(stack);
    return stack;
  }

  now(): number {
    return this.clock.now();
  }

  run<T>(promise: Promise<T>): Promise<T> {
    return this.clock.run(promise);
  }

  pass(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  settle(): Promise<void> {
    return this.clock.settle();
  }

  async reset(): Promise<void> {
    await Promise.all(this.#sockets.map((socket) => socket.close()));
    this.#sockets = [];
    await this.peer.vanish();
  }

  async close(): Promise<void> {
    await this.stack.close();
    await this.peerStack.close();
    await Promise.all(this.#others.map((stack) => stack.close()));
  }

  #opened(socket: RdsSocket): RdsSocket {
    this.#sockets.push(socket);
    return socket;
  }
}
