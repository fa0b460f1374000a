import type { IpAddress } from "@verbena/ib";
import type { ConnectionInfo, TcpSocketInfo, TransportCounter } from "./transport-info.js";

/** An address of this host or of a peer, with its interface where the address alone does not say it. */
export interface TransportAddress {
  readonly address: IpAddress;
  /** Interface index of a link-local IPv6 address; 0 for every other. */
  readonly scopeId: number;
}

/**
 * One frame to be written: 48 bytes of header, then the payload, in one piece. The transport MUST NOT change the bytes, and MUST forget them
 * when it has reported them by {@link PeerSource.acked}, and when the connection ends: a frame that is sent again comes out of {@link PeerSource.next} anew.
 */
export interface OutgoingFrame {
  readonly bytes: Buffer;
  /** Where they lie, for who can do without a view of them: `size` bytes of `memory` from `start` on. Frames often lie one behind the other. */
  readonly memory: Buffer;
  readonly start: number;
  readonly size: number;
  /** Position behind the frame's last byte: the sum of the lengths of all frames since {@link PeerSource.connectionUp}. */
  readonly end: number;
}

/**
 * The engine's side of one pair of addresses, as a transport sees it: what to send, and where to leave what came. The transport knows
 * neither sockets nor queues. All calls are synchronous and cheap, and none calls back into the transport but for `PeerLink.wake`.
 */
export interface PeerSource {
  /**
   * The next frame, or `undefined` when there is nothing to send. Only to be called while up. The congestion map comes first whenever one is
   * due; a message counts as sent, not acknowledged, from here on. After a reconnect: the map, what had been sent but not acknowledged, the
   * probe, then what had never been sent. Sequence numbers are given in this order, so that a repeated message never follows a later number.
   */
  next(): OutgoingFrame | undefined;
  /** Frames that wait to be sent, or to be acknowledged: reason to connect, and to go on trying. */
  readonly hasWork: boolean;
  /**
   * A connection carries frames now, in both directions. MUST be called only once the peer is known to have taken the connection for good:
   * what is acknowledged by its system before that may never be read.
   */
  connectionUp(): void;
  /** It does so no more. MUST be called after the last `acked` and `received` of the connection. */
  connectionDown(): void;
  /**
   * All frames with `end` up to `position` have been received by the peer. A transport that learns of bytes gives their number; one that
   * learns of frames, the `end` of the last.
   */
  acked(position: number): void;
  /**
   * A whole frame has come: its header, 48 bytes at `at` of `header`, only read during the call; its payload, which becomes the engine's.
   * MUST be as long as the header says. `memory` gets the payload back once it is not needed any more; without it the payload is the engine's for good.
   */
  received(header: Buffer, at: number, payload: Buffer, memory?: PayloadMemory): void;
}

/** Who lends the memory of payloads, to use it again. */
export interface PayloadMemory {
  /** So many bytes of it are not needed any more, within the call that lent them or later. `isFree` false: a program has them for good, and may read them. */
  giveBack(length: number, isFree: boolean): void;
}

/** A transport's side of one pair of addresses. */
export interface PeerLink {
  /** There is something new to send. Called often; MUST only note it and act later in the same turn of the event loop or after it. */
  wake(): void;
  /** For the list of connections. */
  readonly state: "down" | "connecting" | "up";
  /** Drops the connection without ado. Nothing of the source is called afterwards. */
  close(): void;
}

/** The engine, as a transport sees it that has been opened on a local address. */
export interface TransportSink {
  /**
   * A peer has come forward. The engine opens a link to it by {@link LocalTransport.link}, before this returns, unless there is one already.
   * False: it wants no more peers; the transport MUST turn the peer away.
   */
  contact(remote: TransportAddress): boolean;
}

/** A message transport at work on one local address. */
export interface LocalTransport {
  /**
   * Called once per peer; the link lives until it is closed, through any number of connections. `undefined`: there never is a way to that peer,
   * and what is sent to it is dropped.
   */
  link(remote: TransportAddress, source: PeerSource): PeerLink | undefined;
  /** Counters of its own, cumulative. */
  counters?(): readonly TransportCounter[];
  /** Its TCP connections, if it has any. */
  tcpSockets?(): readonly TcpSocketInfo[];
  /** Closes the address: listener and links. Idempotent. */
  close(): Promise<void>;
}

/**
 * A transport that carries frames between two addresses, in order and acknowledged. Queues, sequence numbers, congestion and the sockets are
 * the engine's of `@verbena/rds`.
 */
export interface MessageTransport {
  readonly kind: "messages";
  /** In lists of connections, and to choose it by: at most 15 bytes of ASCII. */
  readonly name: ConnectionInfo["transport"];
  /** Whether this transport serves the given local address. MUST NOT block. */
  claims(local: TransportAddress): boolean;
  /** Opens a local address, once for all its sockets. Rejects with a coded error. */
  open(local: TransportAddress, sink: TransportSink): Promise<LocalTransport>;
}
