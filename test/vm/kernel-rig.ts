import { spawnSync } from "node:child_process";
import { createHost, type Host } from "@verbena/core";
import type { SocketTransport } from "@verbena/core/sdk";
import { KernelTransport, type RdsSocket, type RdsSocketOptions, RdsStack } from "@verbena/rds";
import type { Rig } from "../../packages/rds/test/conformance/rig.js";
import { inNamespace } from "./namespaces.js";

/** One of the machine's two hosts. */
export interface KernelHost {
  readonly namespace: "A" | "B";
  readonly device: string;
  readonly address: string;
}

export const HOST_A: KernelHost = { namespace: "A", device: "a0", address: "10.0.0.1" };
export const HOST_B: KernelHost = { namespace: "B", device: "b0", address: "10.0.0.2" };

/** Peers that one rig can have, one after the other. */
const PEERS = 16;

/** Several commands of `ip` in one namespace, since each start of a program is slow. */
function ip(namespace: string, commands: readonly string[]): void {
  const done = spawnSync("ip", ["-n", namespace, "-batch", "-"], { input: commands.join("\n"), encoding: "utf8" });
  if (done.status !== 0) throw new Error(`ip -n ${namespace}: ${done.stderr}`);
}

/** The transport of the kernel as a program in another network namespace has it. */
export function transportIn(namespace: string, host: Host): SocketTransport {
  // Limits beyond the system's, for messages of 1 MiB.
  const kernel = new KernelTransport({ sockets: host.native.kernelRds, clock: host.clock, forceBuffers: true });
  return {
    kind: kernel.kind,
    name: kernel.name,
    claims: (local) => inNamespace(namespace, () => kernel.claims(local)),
    openSocket: (events) => inNamespace(namespace, () => kernel.openSocket(events)),
  };
}

/**
 * Sockets of the kernel in two network namespaces, joined by a wire, with RDS over TCP between them. A peer that has appeared is not used for another
 * test: the next one has an address that the kernel has not met yet, or not reached.
 */
export class KernelRig implements Rig {
  readonly backEnd = "kernel";
  readonly loopback = ["127.0.0.1", "127.0.0.2"] as const;
  readonly local: readonly [string, string];
  readonly transports = ["loopback", "tcp"] as const;
  readonly networkTransport = "kernel";
  readonly keepsForeignMaps = false;
  readonly peer: Rig["peer"];
  readonly #host = createHost();
  readonly #stack: RdsStack;
  readonly #peerStack: RdsStack;
  /** Their addresses, the present one first. */
  readonly #peers: string[];
  readonly #peerAddresses: readonly string[];
  #sockets: RdsSocket[] = [];
  #hasAppeared = false;
  #isPeerThere = false;
  #isPeerBlocked = false;
  /** Time-outs of the library do not keep a process alive, and a test is waiting for some. */
  readonly #keepAlive = setInterval(() => undefined, 1000);

  constructor(
    private readonly own: KernelHost,
    private readonly other: KernelHost,
  ) {
    // Between the two hosts' own addresses there is no room: the smaller one has its further addresses in 10.0.0, the larger one in 10.0.2.
    const net = (host: KernelHost): string => (host === HOST_A ? "10.0.0.1" : "10.0.2.1");
    this.local = [`${net(own)}10`, `${net(own)}11`];
    this.#peers = Array.from({ length: PEERS }, (_, i) => `${net(other)}${20 + i}`);
    this.#peerAddresses = [...this.#peers];
    const add = (host: KernelHost, addresses: readonly string[]): readonly string[] =>
      addresses.map((address) => `addr add ${address}/32 dev ${host.device}`);
    const reach = (host: KernelHost): string => `route add 10.0.0.0/16 dev ${host.device}`;
    ip(own.namespace, [
      ...add(own, this.local),
      reach(own),
      ...this.#peers.map((address) => `route add unreachable ${address}`),
    ]);
    ip(other.namespace, [...add(other, this.#peerAddresses), reach(other)]);
    this.#stack = new RdsStack({ host: this.#host, transports: [transportIn(own.namespace, this.#host)] });
    this.#peerStack = new RdsStack({ host: this.#host, transports: [transportIn(other.namespace, this.#host)] });
    const current = (): string => this.#peers[0] ?? "";
    this.peer = {
      get address() {
        return current();
      },
      socket: (options) => this.#opened(this.#peerStack.createSocket(options)),
      appear: () => this.#appear(),
      vanish: () => {
        this.#vanish();
        return Promise.resolve();
      },
    };
  }

  socket(options?: RdsSocketOptions): RdsSocket {
    return this.#opened(this.#stack.createSocket(options));
  }

  now(): number {
    return this.#host.clock.now();
  }

  run<T>(promise: Promise<T>): Promise<T> {
    return promise;
  }

  pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  }

  /** Until the kernel's counters stand still. */
  async settle(): Promise<void> {
    let last = "";
    for (let still = 0; still < 3; ) {
      const now = this.#counters();
      still = now === last ? still + 1 : 0;
      last = now;
      await this.pass(5);
    }
  }

  async reset(): Promise<void> {
    await Promise.all(this.#sockets.map((socket) => socket.close()));
    this.#sockets = [];
    if (!this.#hasAppeared) return;
    if (this.#isPeerBlocked) ip(this.other.namespace, this.#blocks("del"));
    this.#isPeerBlocked = false;
    this.#peers.shift();
    this.#hasAppeared = false;
    this.#isPeerThere = false;
  }

  async close(): Promise<void> {
    await this.#stack.close();
    await this.#peerStack.close();
    await this.#host.close();
    clearInterval(this.#keepAlive);
    const remove = (host: KernelHost, addresses: readonly string[]): readonly string[] => [
      "route flush type unreachable",
      `route del 10.0.0.0/16 dev ${host.device}`,
      ...addresses.map((address) => `addr del ${address}/32 dev ${host.device}`),
    ];
    ip(this.own.namespace, remove(this.own, this.local));
    ip(this.other.namespace, remove(this.other, this.#peerAddresses));
  }

  #counters(): string {
    using socket = this.#host.native.kernelRds.open();
    return socket.info(10_000).bytes.toString("latin1");
  }

  async #appear(): Promise<void> {
    if (this.#isPeerThere) return;
    this.#isPeerThere = true;
    this.#hasAppeared = true;
    ip(this.own.namespace, [`route del unreachable ${this.peer.address}`]);
    if (this.#isPeerBlocked) ip(this.other.namespace, this.#blocks("del"));
    this.#isPeerBlocked = false;
    // The smaller address is who connects, and has to have something to say.
    if (this.own === HOST_B) await this.#contact();
  }

  async #contact(): Promise<void> {
    await using socket = this.#peerStack.createSocket();
    await socket.bind(this.peer.address);
    socket.trySend("", { to: `${this.local[0]}:0` });
    await socket.receive();
  }

  /** No packet finds a way, in either direction. */
  #vanish(): void {
    if (!this.#isPeerThere) return;
    ip(this.own.namespace, [`route add unreachable ${this.peer.address}`]);
    ip(this.other.namespace, this.#blocks("add"));
    this.#isPeerThere = false;
    this.#isPeerBlocked = true;
  }

  #blocks(verb: "add" | "del"): readonly string[] {
    return this.local.map((address) => `route ${verb} unreachable ${address}`);
  }

  #opened(socket: RdsSocket): RdsSocket {
    this.#sockets.push(socket);
    return socket;
  }
}
