import type { DatagramAddress, MessageTransport, TransportAddress } from "@verbena/core/sdk";
import { BlockWatch } from "../memory/block-watch.js";
import { MessageMemory } from "../memory/message-memory.js";
import { CongestionMap } from "../wire/congestion-map.js";
import { createCounters } from "./counters.js";
import type { EngineSocket } from "./engine-socket.js";
import { addressKey, isLoopback } from "./ip.js";
import { LocalAddress, type LocalContext } from "./local-address.js";
import { InternalRoute, NoRoute, PeerRoute, type Route } from "./route.js";
import type { EngineSettings } from "./settings.js";

/** Bytes of new blocks of memory after which those are let go that few messages keep: of messages sent, and of those received. */
const SETTLE_AFTER = 4 << 20;

/**
 * What all sockets of a stack share: open local addresses, peers' congestion maps, counters. Does no I/O and has no timers; message transports
 * carry what leaves it.
 */
export class Engine implements LocalContext {
  readonly counters = createCounters();
  readonly internalMemory = new MessageMemory();
  readonly sendMemory = new MessageMemory((bytes) => this.#sending.grew(bytes));
  /** Of messages that wait to be sent, or acknowledged. */
  readonly #sending = new BlockWatch(SETTLE_AFTER, () => {
    for (const { peers } of this.locals.values()) for (const { queues } of peers.values()) queues.settle();
  });
  /** Of messages that wait to be received. */
  readonly waiting = new BlockWatch(SETTLE_AFTER, () => {
    for (const socket of this.sockets) socket.settle();
  });
  readonly locals = new Map<string, LocalAddress>();
  readonly sockets = new Set<EngineSocket>();
  /** Told of each address whose congestion map has changed, or is not known any more, before sockets are told. */
  readonly mapWatchers = new Set<(address: TransportAddress) => void>();
  /** Goes up when a local address is opened or a peer forgotten: routes may be others from then on. */
  routesGeneration = 0;
  readonly #opening = new Map<string, Promise<LocalAddress>>();
  readonly #foreignMaps = new Map<string, CongestionMap>();
  #inodes = 0n;
  #closing: Promise<void> | undefined;

  constructor(readonly settings: EngineSettings) {}

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  nextInode(): bigint {
    this.#inodes += 1n;
    return this.#inodes;
  }

  /** Opens a local address on a transport, once for all its sockets; the transport of the first holds. */
  open(local: TransportAddress, transport: MessageTransport): Promise<LocalAddress> {
    const key = addressKey(local);
    const opening = this.#opening.get(key) ?? this.#open(key, local, transport);
    this.#opening.set(key, opening);
    return opening;
  }

  /** Where messages of a local address go that are for another; `undefined` when it has too many peers. */
  route(from: LocalAddress, to: DatagramAddress): Route | undefined {
    const key = addressKey(to);
    const open = this.locals.get(key);
    // What was sent before the address was opened comes first: as long as it is on its way, the rest follows it.
    const before = open === undefined ? undefined : from.peers.get(key);
    if (before?.hasWork === true) return new PeerRoute(before, true);
    if (open !== undefined) return new InternalRoute(from, open);
    if (isLoopback(to.address) && !isLoopback(from.local.address)) return new NoRoute(from);
    const peer = from.peer({ address: to.address, scopeId: to.scopeId });
    if (peer === "unreachable") return new NoRoute(from);
    return peer === "too-many" ? undefined : new PeerRoute(peer);
  }

  /**
   * What a send would meet, by what is known now. Unlike a send it makes no peer: that could take the place of another one, and whoever is told of that
   * would ask again, in turns without end.
   */
  outlook(from: LocalAddress, to: DatagramAddress): "free" | "congested" | "no-room" {
    const key = addressKey(to);
    const open = this.locals.get(key);
    const peer = from.peers.get(key);
    const isNoPeers = open !== undefined || (isLoopback(to.address) && !isLoopback(from.local.address));
    if (!isNoPeers && peer === undefined && !from.hasRoomForPeer) return "no-room";
    const map = open === undefined || peer?.hasWork === true ? this.#foreignMaps.get(key) : open.map;
    return map?.has(to.port) === true ? "congested" : "free";
  }

  foreignMap(remote: TransportAddress): CongestionMap {
    const key = addressKey(remote);
    const map = this.#foreignMaps.get(key) ?? new CongestionMap();
    this.#foreignMaps.set(key, map);
    return map;
  }

  foreignMapArrived(remote: TransportAddress, bits: Buffer): void {
    const freed = this.foreignMap(remote).replace(bits);
    for (const changed of this.mapWatchers) changed(remote);
    for (const socket of this.sockets) socket.congestionChanged(freed);
  }

  foreignMapUnused(remote: TransportAddress): boolean {
    const key = addressKey(remote);
    if ([...this.locals.values()].some(({ peers }) => peers.has(key))) return false;
    return this.#foreignMaps.delete(key);
  }

  peerForgotten(remote: TransportAddress): void {
    this.routesGeneration += 1;
    if (!this.foreignMapUnused(remote)) return;
    for (const changed of this.mapWatchers) changed(remote);
    // Nobody tells any more that a port is free: who waits for one tries, and so calls the peer; not within the send that made this one go.
    queueMicrotask(() => {
      for (const socket of this.sockets) socket.congestionChanged(0n);
    });
  }

  localMapChanged(local: TransportAddress): void {
    for (const changed of this.mapWatchers) changed(local);
  }

  localPortsFreed(freed: bigint): void {
    for (const socket of this.sockets) socket.congestionChanged(freed);
  }

  /** Closes what is open. Sockets are their holders'; they get nothing more. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #open(key: string, local: TransportAddress, transport: MessageTransport): Promise<LocalAddress> {
    const opened = new LocalAddress(local, transport.name, this);
    try {
      opened.attach(await transport.open(local, opened));
    } catch (error) {
      this.#opening.delete(key);
      throw error;
    }
    if (this.isClosed) await opened.close();
    this.locals.set(key, opened);
    this.routesGeneration += 1;
    return opened;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.sockets].map((socket) => socket.close()));
    await Promise.all([...this.locals.values()].map((local) => local.close()));
  }
}
