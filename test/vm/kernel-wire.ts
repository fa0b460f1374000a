import { createHost } from "@verbena/core";
import { type RdsSocket, RdsStack } from "@verbena/rds";
import { type Frame, mapFrame, probe } from "../../packages/rds/test/tcp/frames.js";
import { type PeerConnection, ScriptedPeer } from "../../packages/rds/test/tcp/scripted-peer.js";
import { transportIn } from "./kernel-rig.js";
import { enterOwnNamespace } from "./own-namespace.js";

export const RDS_TCP_PORT = 16_385;

/** Which of the two addresses the peer has. */
export type PeerRole = "smaller" | "larger";

/** A peer's connection with the kernel: maps exchanged, the peer's probe answered. */
export interface KernelLane {
  readonly address: string;
  readonly peer: ScriptedPeer;
  readonly connection: PeerConnection;
  /** The kernel's first frame. */
  readonly map: Frame;
  /** Its answer to the probe. */
  readonly answer: Frame;
  readonly s2001: RdsSocket;
  readonly s2002: RdsSocket;
}

/**
 * The kernel's RDS over TCP in one network namespace, and scripted peers in another, each time at another address: the kernel remembers what it
 * has received from a peer for ever.
 */
export class KernelWire {
  readonly #host = createHost();
  readonly kernel: string;
  readonly #stack: RdsStack;
  readonly #addresses: Record<PeerRole, string[]>;
  readonly #opened: AsyncDisposable[] = [];
  readonly #kept: ScriptedPeer[] = [];
  readonly #leave: () => void;
  /** Time-outs of the library do not keep a process alive. */
  readonly #keepAlive = setInterval(() => undefined, 1000);

  /** `name` of the peers' namespace; `network`: its first three numbers. */
  constructor(name: string, network: string) {
    this.kernel = `${network}.100`;
    const from = (first: number): string[] => Array.from({ length: 16 }, (_, i) => `${network}.${first + i}`);
    this.#addresses = { smaller: from(10), larger: from(110) };
    const { smaller, larger } = this.#addresses;
    this.#leave = enterOwnNamespace({ name, kernel: this.kernel, addresses: [...smaller, ...larger] });
    this.#stack = new RdsStack({ host: this.#host, transports: [transportIn("A", this.#host)] });
  }

  /** A peer at an address that the kernel has not met. */
  async peer(role: PeerRole): Promise<ScriptedPeer> {
    const peer = await ScriptedPeer.listen(this.#addresses[role].shift() ?? "", RDS_TCP_PORT);
    this.#opened.push(peer);
    return peer;
  }

  /** A socket of the kernel. */
  async socket(port: number, address = this.kernel): Promise<RdsSocket> {
    const socket = this.#stack.createSocket();
    this.#opened.push(socket);
    await socket.bind(address, port);
    return socket;
  }

  /** `kernel`: the kernel's address, if it is another than usual. */
  async lane(role: PeerRole, npaths = "0001", kernel = this.kernel): Promise<KernelLane> {
    const peer = await this.peer(role);
    const { address } = peer;
    const [s2001, s2002] = [await this.socket(2001, kernel), await this.socket(2002, kernel)];
    if (role === "larger") s2001.trySend("up", { to: `${address}:7` });
    const connection = role === "smaller" ? await peer.connect(kernel) : await peer.accept();
    const map = await connection.next();
    await connection.send(mapFrame(), probe(1, npaths));
    if (role === "larger") await connection.nextData();
    return { address, peer, connection, map, answer: await pongOf(connection), s2001, s2002 };
  }

  /**
   * A connection of a smaller peer that the kernel has taken: its map has come. As long as the kernel has not put away the connection before, it
   * refuses others.
   */
  async taken(peer: ScriptedPeer): Promise<PeerConnection> {
    for (;;) {
      const connection = await peer.connect(this.kernel);
      const first = await Promise.race([connection.next(), connection.ended]);
      if (typeof first === "string") continue;
      await connection.send(mapFrame());
      return connection;
    }
  }

  /** Lets a peer live until the end, beyond {@link reset}. */
  keep(peer: ScriptedPeer): void {
    this.#opened.splice(this.#opened.indexOf(peer), 1);
    this.#kept.push(peer);
  }

  /** After each test. */
  async reset(): Promise<void> {
    for (const one of this.#opened.splice(0)) await one[Symbol.asyncDispose]();
  }

  async close(): Promise<void> {
    await this.reset();
    for (const peer of this.#kept) await peer[Symbol.asyncDispose]();
    await this.#stack.close();
    await this.#host.close();
    this.#leave();
    clearInterval(this.#keepAlive);
  }
}

/** The kernel's answer to a probe. */
export async function pongOf(connection: PeerConnection): Promise<Frame> {
  for (;;) {
    const next = await connection.next();
    if (next.sourcePort === 0 && next.destinationPort === 1) return next;
  }
}
