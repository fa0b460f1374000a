import {
  type DatagramAddress,
  type LocalTransport,
  OccasionalWarning,
  type PayloadMemory,
  type TransportAddress,
  type TransportSink,
} from "@verbena/core/sdk";
import type { MessageMemory } from "../memory/message-memory.js";
import { CongestionMap } from "../wire/congestion-map.js";
import { nextSequence, type Sequence } from "../wire/sequence.js";
import { ALL_PORTS, congestionMask } from "./congestion-monitor.js";
import type { Counters } from "./counters.js";
import { addressKey, isLoopback } from "./ip.js";
import { MemoryPressure } from "./memory-pressure.js";
import { Peer, type PeerNumbers, type PeerOwner } from "./peer.js";
import type { EngineSettings } from "./settings.js";
import { WaitingMessage } from "./waiting-message.js";

/** First port that a socket may have, and how many there are. */
const FIRST_PORT = 2;
const PORTS = 65_536 - FIRST_PORT;

/** Peers whose numbers are kept after they have been forgotten. */
const MAX_FORGOTTEN = 65_536;

/**
 * What a peer may still send that knows of the lack of memory: what its sockets had queued before, which it does not take back. The larger of a
 * number of bytes and a part of the memory.
 */
const UNDER_WAY = { bytes: 4 << 20, part: 1 / 4 };

/** A bound socket, as its address sees it. */
export interface PortOwner {
  readonly wantsTimestamps: boolean;
  enqueue(entry: WaitingMessage): void;
}

/** What a local address needs of the engine. */
export interface LocalContext {
  readonly settings: EngineSettings;
  readonly counters: Counters;
  /** Of messages that stay in the process. */
  readonly internalMemory: MessageMemory;
  /** Of those that leave it. */
  readonly sendMemory: MessageMemory;
  /** The map of a peer's address, one for all local addresses. */
  foreignMap(remote: TransportAddress): CongestionMap;
  foreignMapArrived(remote: TransportAddress, bits: Buffer): void;
  /** No peer has come of the address that the map was asked for. */
  foreignMapUnused(remote: TransportAddress): void;
  /** The local address knows the peer no more. */
  peerForgotten(remote: TransportAddress): void;
  /** The congestion map of a local address has changed. */
  localMapChanged(local: TransportAddress): void;
  /** Ports of a local address, folded to 64 bits, may be sent to again. */
  localPortsFreed(ports: bigint): void;
}

/** A local address that is open: its ports, its congestion map, its peers. Stays open as long as the engine, and so do the peers' numbers. */
export class LocalAddress implements TransportSink, PeerOwner {
  readonly map = new CongestionMap();
  /** Those whose connection went last are at the end. */
  readonly peers = new Map<string, Peer>();
  readonly #forgotten = new Map<string, PeerNumbers>();
  readonly #ports = new Map<number, PortOwner>();
  readonly #context: LocalContext;
  #transport: LocalTransport | undefined;
  /** Numbers of messages that never leave this engine, per address they come from. */
  readonly #internal = new Map<string, Sequence>();
  readonly #memory: MemoryPressure;
  readonly #scarce: OccasionalWarning;
  readonly #dropped: OccasionalWarning;

  constructor(
    readonly local: TransportAddress,
    readonly transportName: string,
    context: LocalContext,
  ) {
    this.#context = context;
    const { maxReceiveMemory, clock, logger } = context.settings;
    this.#memory = new MemoryPressure(maxReceiveMemory, (isScarce) => this.#setAllCongested(isScarce));
    this.#scarce = new OccasionalWarning("RDS messages are not received: all ports congested", clock, logger);
    this.#dropped = new OccasionalWarning("an RDS peer ignores congestion: message dropped", clock, logger);
  }

  get counters(): Counters {
    return this.#context.counters;
  }

  get internalMemory(): MessageMemory {
    return this.#context.internalMemory;
  }

  get sendMemory(): MessageMemory {
    return this.#context.sendMemory;
  }

  get answersPings(): boolean {
    return this.#context.settings.answersPings;
  }

  get transport(): LocalTransport | undefined {
    return this.#transport;
  }

  /** Peers of this engine's own, with the number of their next message. */
  get internal(): ReadonlyMap<string, Sequence> {
    return this.#internal;
  }

  /** Gives the transport once it is open. */
  attach(transport: LocalTransport): void {
    this.#transport = transport;
  }

  /** Takes a port, or says that there is none. Port 0: a free one, upwards from a random one. */
  claimPort(wanted: number, owner: PortOwner): number | undefined {
    const port = wanted === 0 ? this.#freePort() : wanted;
    if (port === undefined || this.#ports.has(port)) return undefined;
    this.#ports.set(port, owner);
    return port;
  }

  freePort(port: number): void {
    this.#ports.delete(port);
    this.setCongested(port, false);
  }

  /** Whether sockets of this address push back. */
  get hasCongestion(): boolean {
    return this.#context.settings.loopbackCongestion || !isLoopback(this.local.address);
  }

  setCongested(port: number, isCongested: boolean): void {
    if (this.map.set(port, isCongested)) this.#mapChanged(isCongested ? 0n : congestionMask(port));
  }

  /** Memory of what waits on the sockets has grown, or shrunk. */
  waitingChanged(bytes: number): void {
    this.#memory.add(bytes);
  }

  /** One more peer could be made, though another may have to go. */
  get hasRoomForPeer(): boolean {
    if (this.peers.size < this.#context.settings.maxPeers) return true;
    for (const peer of this.peers.values()) if (peer.isIdle) return true;
    return false;
  }

  /** The peer at an address, made if need be; or why there is none. */
  peer(remote: TransportAddress): Peer | "too-many" | "unreachable" {
    const key = addressKey(remote);
    const known = this.peers.get(key);
    if (known !== undefined) return known;
    const { settings } = this.#context;
    if (this.peers.size >= settings.maxPeers && !this.#forgetOne()) return "too-many";
    const before = this.#forgotten.get(key);
    // Never below what the peer has seen, though the clock was set back: it would take what is repeated for old.
    const now: Sequence = Math.floor(settings.wallClockMicros());
    const firstSequence = before !== undefined && before.nextTx > now ? before.nextTx : now;
    const peer = new Peer(this, remote, this.#context.foreignMap(remote), firstSequence);
    const link = this.#transport?.link(remote, peer);
    if (link === undefined) {
      this.#context.foreignMapUnused(remote);
      return "unreachable";
    }
    if (before !== undefined) peer.resume(before);
    this.#forgotten.delete(key);
    this.peers.set(key, peer);
    peer.attach(link);
    return peer;
  }

  rests(peer: Peer): void {
    const key = addressKey(peer.remote);
    if (this.peers.delete(key)) this.peers.set(key, peer);
  }

  contact(remote: TransportAddress): boolean {
    return typeof this.peer(remote) !== "string";
  }

  deliver(peer: Peer, destinationPort: number, message: WaitingMessage): void {
    if (this.#memory.isExceeded && this.#hasIgnoredCongestion(peer) && this.#ports.has(destinationPort)) {
      this.counters.recv_drop_dead_sock += 1;
      this.#dropped.happened({ peer: peer.remote.address, local: this.local.address });
      message.drop();
      return;
    }
    this.#deliver(destinationPort, message);
  }

  /** A message from a socket of this engine. Takes the payload over. */
  deliverInternal(source: DatagramAddress, destinationPort: number, payload: Buffer, memory?: PayloadMemory): void {
    const key = addressKey(source);
    const sequence = this.#internal.get(key) ?? 1;
    this.#internal.set(key, nextSequence(sequence));
    this.#deliver(destinationPort, new WaitingMessage(payload, source, sequence, memory));
  }

  replaceMap(peer: Peer, bits: Buffer): void {
    this.#context.foreignMapArrived(peer.remote, bits);
  }

  async close(): Promise<void> {
    for (const peer of this.peers.values()) peer.close();
    await this.#transport?.close();
  }

  #deliver(destinationPort: number, message: WaitingMessage): void {
    const owner = this.#ports.get(destinationPort);
    if (owner === undefined) {
      this.counters.recv_drop_no_sock += 1;
      message.drop();
      return;
    }
    if (owner.wantsTimestamps) {
      message.timestampNs = BigInt(Math.floor(this.#context.settings.wallClockMicros())) * 1000n;
    }
    owner.enqueue(message);
  }

  #hasIgnoredCongestion(peer: Peer): boolean {
    return peer.sentInVain > Math.max(UNDER_WAY.bytes, this.#context.settings.maxReceiveMemory * UNDER_WAY.part);
  }

  #setAllCongested(isCongested: boolean): void {
    this.map.isFull = isCongested;
    if (isCongested) this.#scarce.happened({ local: this.local.address });
    this.#mapChanged(isCongested ? 0n : ALL_PORTS);
  }

  /** `freed`: ports that may be sent to again, folded to 64 bits. */
  #mapChanged(freed: bigint): void {
    for (const peer of this.peers.values()) peer.mapChanged();
    this.#context.localMapChanged(this.local);
    if (freed !== 0n) this.#context.localPortsFreed(freed);
  }

  /** Makes room for another peer: the one goes that has been without connection for longest, and has nothing to be sent. */
  #forgetOne(): boolean {
    for (const [key, peer] of this.peers) {
      if (!peer.isIdle) continue;
      peer.close();
      this.peers.delete(key);
      this.#forgotten.set(key, peer.numbers);
      const [oldest] = this.#forgotten.keys();
      if (this.#forgotten.size > MAX_FORGOTTEN && oldest !== undefined) this.#forgotten.delete(oldest);
      this.#context.peerForgotten(peer.remote);
      return true;
    }
    return false;
  }

  #freePort(): number | undefined {
    if (this.#ports.size >= PORTS) return undefined;
    let offset = Math.floor(this.#context.settings.random() * PORTS);
    while (this.#ports.has(FIRST_PORT + offset)) offset = (offset + 1) % PORTS;
    return FIRST_PORT + offset;
  }
}
