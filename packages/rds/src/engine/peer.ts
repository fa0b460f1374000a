import type {
  ConnectionInfo,
  DatagramAddress,
  OutgoingFrame,
  PayloadMemory,
  PeerLink,
  PeerSource,
  TransportAddress,
} from "@verbena/core/sdk";
import type { Block } from "../memory/block-pool.js";
import type { MessageMemory } from "../memory/message-memory.js";
import { isChecksumGood } from "../wire/checksum.js";
import { CONGESTION_MAP_SIZE, type CongestionMap, isCongestionMap } from "../wire/congestion-map.js";
import { readProbe, SINGLE_PATH } from "../wire/extensions.js";
import { EXTENSIONS_SIZE, HEADER_SIZE, HeaderFlag, HeaderOffset } from "../wire/header-layout.js";
import { nextSequence, readSequence, type Sequence } from "../wire/sequence.js";
import { readHalfWord } from "../wire/words.js";
import type { Counters } from "./counters.js";
import { OutgoingMessage } from "./outgoing-message.js";
import { ENTRY_BYTES } from "./receive-queue.js";
import { SendQueues } from "./send-queues.js";
import { WaitingMessage } from "./waiting-message.js";

/** Flags of the keep-alive messages of some peers; they ask for nothing that we offer. */
const HEARTBEAT = 0x18;

/** Pongs that wait for a peer which pings and does not read. */
const MAX_WAITING_PONGS = 1024;

/** What a peer needs of the local address it belongs to. */
export interface PeerOwner {
  readonly local: TransportAddress;
  /** The local address's own map. */
  readonly map: CongestionMap;
  readonly counters: Counters;
  readonly sendMemory: MessageMemory;
  readonly answersPings: boolean;
  /** A data message has come. */
  deliver(peer: Peer, destinationPort: number, message: WaitingMessage): void;
  /** The connection has gone: unless there is something to send, the peer may be forgotten. */
  rests(peer: Peer): void;
  /** The peer's map has come. */
  replaceMap(peer: Peer, bits: Buffer): void;
}

/** What must be known of a peer that comes back, so that both sides tell repeated messages from new ones. */
export interface PeerNumbers {
  readonly nextTx: Sequence;
  readonly nextRx: Sequence;
  readonly generation: number;
}

/** One pair of addresses: what is to be sent, what has come, the numbers that keep both exact. Survives any number of connections. */
export class Peer implements PeerSource {
  readonly queues: SendQueues;
  readonly #owner: PeerOwner;
  #link: PeerLink | undefined;
  #isUp = false;
  #isMapDue = false;
  #isProbeDue = false;
  /** Bytes given to this connection. */
  #position = 0;
  #nextRx: Sequence = 0;
  /** 0 until the peer has told one. */
  #generation = 0;
  #waitingPongs = 0;
  /** End of the map that says that all ports are congested, until it is acknowledged. */
  #fullMapEnd = 0;
  /** Payload bytes that have come since the peer has that map. */
  #sinceFullMap: number | undefined;
  /** Of the last message. */
  #source: DatagramAddress | undefined;

  constructor(
    owner: PeerOwner,
    readonly remote: TransportAddress,
    /** Which of the peer's ports are congested; kept while it is away. */
    readonly foreignMap: CongestionMap,
    firstSequence: Sequence,
  ) {
    this.#owner = owner;
    this.queues = new SendQueues(firstSequence);
  }

  /** Gives the transport's side, once. */
  attach(link: PeerLink): void {
    this.#link = link;
    if (this.hasWork) link.wake();
  }

  /** Memory for a message with a payload of so many bytes. */
  room(length: number): Block {
    return this.#owner.sendMemory.blockFor(HEADER_SIZE + length);
  }

  isCongested(port: number): boolean {
    return this.foreignMap.has(port);
  }

  /** Queues a message. */
  send(message: OutgoingMessage): void {
    this.queues.add(message);
    this.#link?.wake();
  }

  /** The local map has changed: the peer hears of it before anything else. */
  mapChanged(): void {
    if (!this.#owner.map.isFull) {
      this.#fullMapEnd = 0;
      this.#sinceFullMap = undefined;
    }
    if (!this.#isUp || this.#isMapDue) return;
    this.#isMapDue = true;
    this.#owner.counters.cong_update_queued += 1;
    this.#link?.wake();
  }

  get hasWork(): boolean {
    return this.queues.length > 0;
  }

  next(): OutgoingFrame | undefined {
    if (!this.#isUp) return undefined;
    if (this.#isMapDue) {
      this.#isMapDue = false;
      const bytes = this.#owner.map.frame();
      this.#position += bytes.length;
      if (this.#owner.map.isFull) this.#fullMapEnd = this.#position;
      return { bytes, memory: bytes, start: 0, size: bytes.length, end: this.#position };
    }
    const message = this.queues.next(this.#isProbeDue ? this.#probe : undefined);
    if (message === undefined) {
      this.#owner.counters.send_queue_empty += 1;
      return undefined;
    }
    if (message.isProbe) this.#isProbeDue = false;
    this.#position += message.size;
    message.end = this.#position;
    return message;
  }

  connectionUp(): void {
    if (this.#isUp) this.connectionDown();
    this.#isUp = true;
    this.#isMapDue = true;
    this.#isProbeDue = true;
    this.#position = 0;
    this.#fullMapEnd = 0;
  }

  connectionDown(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#owner.counters.conn_reset += 1;
    this.queues.requeue();
    this.#owner.rests(this);
  }

  /**
   * Nothing is lost if it is forgotten, but for its numbers. A connection being tried for does not keep it: of a peer that does not come back the trying
   * has no end.
   */
  get isIdle(): boolean {
    return !this.#isUp && !this.hasWork;
  }

  get numbers(): PeerNumbers {
    return { nextTx: this.queues.nextSequence, nextRx: this.#nextRx, generation: this.#generation };
  }

  /** Goes on with the numbers that it had before it was forgotten. */
  resume({ nextRx, generation }: Omit<PeerNumbers, "nextTx">): void {
    this.#nextRx = nextRx;
    this.#generation = generation;
  }

  acked(position: number): void {
    if (this.#fullMapEnd > 0 && position >= this.#fullMapEnd) {
      this.#fullMapEnd = 0;
      this.#sinceFullMap ??= 0;
    }
    const { queues } = this;
    for (let message = queues.shiftAcked(position); message !== undefined; message = queues.shiftAcked(position)) {
      this.#dropped(message, true);
    }
  }

  /** Takes out what fits; returns how many. */
  cancel(isWanted: (message: OutgoingMessage) => boolean): number {
    const cancelled = this.queues.cancel(isWanted);
    for (const message of cancelled) this.#dropped(message, false);
    return cancelled.length;
  }

  received(header: Buffer, at: number, payload: Buffer, memory?: PayloadMemory): void {
    if (!this.#take(header, at, payload, memory)) memory?.giveBack(payload.length, true);
  }

  /** Bytes that have come, with what each message costs, since the peer knows that all ports are congested. */
  get sentInVain(): number {
    return this.#sinceFullMap ?? 0;
  }

  /** Drops the connection and what waits. Nothing comes of it any more. */
  close(): void {
    this.#isUp = false;
    this.#link?.close();
    this.#link = undefined;
  }

  info(transport: string): ConnectionInfo {
    return {
      local: this.#owner.local.address,
      remote: this.remote.address,
      transport,
      nextTx: BigInt(this.queues.nextSequence),
      nextRx: BigInt(this.#nextRx),
      isSending: false,
      isConnecting: this.#link?.state === "connecting",
      isConnected: this.#isUp,
      tos: 0,
    };
  }

  readonly #probe = (): OutgoingMessage => new OutgoingMessage(this.room(0), 1, 0, [], 0, undefined, SINGLE_PATH);

  /** False for what is not for a socket: nothing of it is kept. */
  #take(header: Buffer, at: number, payload: Buffer, memory: PayloadMemory | undefined): boolean {
    const { counters } = this.#owner;
    if (!isChecksumGood(header, at)) {
      counters.recv_drop_bad_checksum += 1;
      return false;
    }
    if (isCongestionMap(header, at)) {
      if (payload.length !== CONGESTION_MAP_SIZE) return false;
      counters.cong_update_received += 1;
      this.#owner.replaceMap(this, payload);
      return false;
    }
    const sequence = readSequence(header, at + HeaderOffset.sequence);
    if (((header[at + HeaderOffset.flags] ?? 0) & HeaderFlag.retransmitted) !== 0 && sequence < this.#nextRx) {
      counters.recv_drop_old_seq += 1;
      return false;
    }
    this.#nextRx = nextSequence(sequence);
    const sourcePort = readHalfWord(header, at + HeaderOffset.sourcePort);
    const destinationPort = readHalfWord(header, at + HeaderOffset.destinationPort);
    if (destinationPort <= 1) {
      this.#handle(header, at, sourcePort, destinationPort);
      return false;
    }
    if (this.#sinceFullMap !== undefined) this.#sinceFullMap += payload.length + ENTRY_BYTES;
    const message = new WaitingMessage(payload, this.#sourceAt(sourcePort), sequence, memory);
    this.#owner.deliver(this, destinationPort, message);
    return true;
  }

  /** The same object for messages of the same socket, as most are that follow each other. */
  #sourceAt(port: number): DatagramAddress {
    if (this.#source?.port === port) return this.#source;
    const { address, scopeId } = this.remote;
    this.#source = { address, scopeId, port };
    return this.#source;
  }

  /** A message of the protocol itself. */
  #handle(header: Buffer, at: number, sourcePort: number, destinationPort: number): void {
    const flags = header.readUInt8(at + HeaderOffset.flags);
    const isHandshake = sourcePort + destinationPort === 1 && (flags & HEARTBEAT) === 0;
    if (isHandshake) this.#learn(header, at + HeaderOffset.extensions);
    if (destinationPort === 0 && sourcePort !== 0) this.#ping(sourcePort);
    else if (destinationPort === 1 && !isHandshake) this.#owner.counters.recv_drop_no_sock += 1;
  }

  /** A peer of another generation than before has restarted, and its numbers begin anew. */
  #learn(header: Buffer, at: number): void {
    const { generation } = readProbe(header.subarray(at, at + EXTENSIONS_SIZE));
    if (generation === undefined || generation === 0 || generation === this.#generation) return;
    if (this.#generation !== 0) this.#nextRx = 0;
    this.#generation = generation;
  }

  #ping(port: number): void {
    const { counters } = this.#owner;
    counters.recv_ping += 1;
    if (!this.#owner.answersPings || this.isCongested(port) || this.#waitingPongs >= MAX_WAITING_PONGS) return;
    counters.send_pong += 1;
    this.#waitingPongs += 1;
    this.send(new OutgoingMessage(this.room(0), 0, port, [], 0, undefined, port === 1 ? SINGLE_PATH : undefined));
  }

  #dropped(message: OutgoingMessage, isAcked: boolean): void {
    if (message.sourcePort === 0) this.#waitingPongs -= 1;
    message.leave(isAcked);
    message.owner?.release(message.length);
  }
}
