import type { DatagramAddress, LocalTransport, TransportAddress, TransportSink } from "@verbena/core/sdk";
import type { Slab } from "../memory/slab.js";
import { CongestionMap } from "../wire/congestion-map.js";
import { nextSequence, type Sequence } from "../wire/sequence.js";
import type { Counters } from "./counters.js";
import { addressKey, isLoopback } from "./ip.js";
import { Peer, type PeerOwner } from "./peer.js";
import { receivedMessage, type WaitingMessage } from "./receive-queue.js";
import type { EngineSettings } from "./settings.js";

/** First port that a socket may have, and how many there are. */
const FIRST_PORT = 2;
const PORTS = 65_536 - FIRST_PORT;

/** A bound socket, as its address sees it. */
export interface PortOwner {
  readonly wantsTimestamps: boolean;
  enqueue(entry: WaitingMessage): void;
}

/** What a local address needs of the engine. */
export interface LocalContext {
  readonly settings: EngineSettings;
  readonly counters: Counters;
  /** Memory of messages. */
  readonly slab: Slab;
  /** The map of a peer's address, one for all local addresses. */
  foreignMap(remote: TransportAddress): CongestionMap;
  foreignMapArrived(remote: TransportAddress, bits: Buffer): void;
  /** A port of a local address may be sent to again. */
  localPortFreed(port: number): void;
}

/** A local address that is open: its ports, its congestion map, its peers. Stays open as long as the engine, and so do the peers' numbers. */
export class LocalAddress implements TransportSink, PeerOwner {
  readonly map = new CongestionMap();
  readonly peers = new Map<string, Peer>();
  readonly #ports = new Map<number, PortOwner>();
  readonly #context: LocalContext;
  #transport: LocalTransport | undefined;
  /** Numbers of messages that never leave this engine, per address they come from. */
  readonly #internal = new Map<string, Sequence>();

  constructor(
    readonly local: TransportAddress,
    readonly transportName: string,
    context: LocalContext,
  ) {
    this.#context = context;
  }

  get counters(): Counters {
    return this.#context.counters;
  }

  get slab(): Slab {
    return this.#context.slab;
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
    if (!this.map.set(port, isCongested)) return;
    for (const peer of this.peers.values()) peer.mapChanged();
    if (!isCongested) this.#context.localPortFreed(port);
  }

  /** The peer at an address, made if need be; or why there is none. */
  peer(remote: TransportAddress): Peer | "too-many" | "unreachable" {
    const key = addressKey(remote);
    const known = this.peers.get(key);
    if (known !== undefined) return known;
    const { settings } = this.#context;
    if (this.peers.size >= settings.maxPeers) return "too-many";
    const peer = new Peer(this, remote, this.#context.foreignMap(remote), Math.floor(settings.wallClockMicros()));
    const link = this.#transport?.link(remote, peer);
    if (link === undefined) return "unreachable";
    this.peers.set(key, peer);
    peer.attach(link);
    return peer;
  }

  contact(remote: TransportAddress): boolean {
    return typeof this.peer(remote) !== "string";
  }

  deliver(peer: Peer, sourcePort: number, destinationPort: number, payload: Buffer, sequence: Sequence): void {
    const { address, scopeId } = peer.remote;
    this.#deliver({ address, scopeId, port: sourcePort }, destinationPort, payload, sequence);
  }

  /** A message from a socket of this engine. Takes the payload over. */
  deliverInternal(source: DatagramAddress, destinationPort: number, payload: Buffer): void {
    const key = addressKey(source);
    const sequence = this.#internal.get(key) ?? 1;
    this.#internal.set(key, nextSequence(sequence));
    this.#deliver(source, destinationPort, payload, sequence);
  }

  replaceMap(peer: Peer, bits: Buffer): void {
    this.#context.foreignMapArrived(peer.remote, bits);
  }

  async close(): Promise<void> {
    for (const peer of this.peers.values()) peer.close();
    await this.#transport?.close();
  }

  #deliver(source: DatagramAddress, destinationPort: number, payload: Buffer, sequence: Sequence): void {
    const owner = this.#ports.get(destinationPort);
    if (owner === undefined) {
      this.counters.recv_drop_no_sock += 1;
      return;
    }
    const stamp = owner.wantsTimestamps
      ? BigInt(Math.floor(this.#context.settings.wallClockMicros())) * 1000n
      : undefined;
    owner.enqueue({ message: receivedMessage(payload, source, stamp), sequence });
  }

  #freePort(): number | undefined {
    if (this.#ports.size >= PORTS) return undefined;
    let offset = Math.floor(this.#context.settings.random() * PORTS);
    while (this.#ports.has(FIRST_PORT + offset)) offset = (offset + 1) % PORTS;
    return FIRST_PORT + offset;
  }
}
