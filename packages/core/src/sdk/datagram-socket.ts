import type { IpAddress } from "@verbena/ib";
import type { TransportInfoLists } from "./transport-info.js";

/** An end of a datagram: an address and a port. */
export interface DatagramAddress {
  readonly address: IpAddress;
  /** 0…65535, host form. */
  readonly port: number;
  /** Interface index of a link-local IPv6 address; 0 for every other. */
  readonly scopeId: number;
}

/** Names of the failures that an operation of a {@link SocketBackend} reports; the numbers are those of the host's `errno.h`. */
export type DatagramErrno =
  | "EADDRINUSE"
  | "EADDRNOTAVAIL"
  | "EAFNOSUPPORT"
  | "EAGAIN"
  | "EDESTADDRREQ"
  | "EINVAL"
  | "EMSGSIZE"
  | "ENOBUFS"
  | "ENOMEM"
  | "ENOPROTOOPT"
  | "ENOTCONN"
  | "EOPNOTSUPP"
  | "EPROTOTYPE"
  | "ETIMEDOUT";

/** What travels beside the data of a datagram. Unknown types received are handed on as they are; unknown ones sent are EINVAL. */
export type ControlMessage =
  /** When the message was queued on the receiving socket: nanoseconds since 1970. */
  | { readonly type: "timestamp"; readonly ns: bigint }
  /** Nanoseconds between points of the receive path, as the socket asked for them. */
  | { readonly type: "rx-latency"; readonly ns: readonly bigint[] }
  /** Zero-copy sends: names the message; comes back when its memory is free again. */
  | { readonly type: "zero-copy-cookie"; readonly cookie: number }
  | { readonly type: "zero-copy-completion"; readonly cookies: readonly number[] }
  /** Any other, as data. `level` and `code` are the kernel's numbers, `data` the bytes behind the control message's header. */
  | { readonly type: "unknown"; readonly level: number; readonly code: number; readonly data: Buffer };

/** A datagram that was received. */
export interface ReceivedMessage {
  readonly type: "message";
  /** As many bytes as were asked for, at most; the receiver's own. */
  readonly data: Buffer;
  /** Bytes of the whole message; more than `data.length` if the message was cut. */
  readonly length: number;
  readonly source: DatagramAddress;
  readonly control: readonly ControlMessage[];
}

/** Ports that may be sent to again. Delivered alone, ahead of data. */
export interface CongestionUpdate {
  readonly type: "congestion";
  /** 64 bits: bit (port mod 64) of each port. */
  readonly ports: bigint;
}

/** What a socket receives. */
export type ReceivedItem = ReceivedMessage | CongestionUpdate;

/** How {@link SocketBackend.tryReceive} is to receive. */
export interface DatagramReceiveRequest {
  /** Bytes wanted at most; the rest of a longer message is discarded unless `peek`. Default: all. */
  readonly maxLength?: number | undefined;
  /** Leaves a data message where it is. Does not protect notifications. */
  readonly peek?: boolean | undefined;
  /** What the message is to be copied into, as much as fits: its data MUST be the part that was filled. */
  readonly into?: Buffer | undefined;
}

/**
 * Told when something may have become possible. May be called at any time, also from within a call of this or another socket (an in-process
 * transport delivers while it sends); whoever listens MUST do no more than take note, receive, and settle promises.
 */
export interface SocketEvents {
  /** Something may be there to receive. May come in vain. */
  readable(): void;
  /** Room in the send queue may have come. May come in vain. */
  writable(): void;
  /** A congestion map has changed: sends that gave ENOBUFS may be tried again. May come in vain. */
  uncongested(): void;
}

/** A size that a socket keeps to: payload bytes, in host form. */
export interface SocketLimits {
  /** A message is queued if the bytes already queued are fewer. No single message may be longer. */
  sendBufferSize: number;
  /** With more payload bytes than this waiting, the port is congested. */
  receiveBufferSize: number;
}

/** Which try of a send it is, see {@link SocketBackend.trySend}. */
export type SendAttempt = "only" | "first" | "another";

/**
 * One datagram socket of one transport: the operations of the system's interface that never wait. Whoever holds it does the waiting, the
 * validation of arguments and the default destination.
 *
 * Operations that can be refused in normal life give the errno's name instead of throwing; misuse throws.
 */
export interface SocketBackend {
  /** Name of the transport that serves the socket, as in the lists of connections: `tcp`, `loopback`, `infiniband`, or a third party's. */
  readonly transport: string;
  /** Largest message, payload bytes. */
  readonly maxMessageSize: number;
  /** What this back end can send beside data; others are EINVAL. */
  readonly controlTypes: readonly ControlMessage["type"][];

  /**
   * Binds; port 0 asks for a free one of 2…65535. Called once, before anything else but `limits`. Rejects with a coded error whose `errno` is
   * EADDRINUSE or EADDRNOTAVAIL, or what the transport says.
   */
  bind(local: DatagramAddress): Promise<DatagramAddress>;

  /**
   * Queues one message, or says why not: ENOTCONN (not bound), EMSGSIZE, EINVAL (control), ENOBUFS (destination
   * congested), EAGAIN (send queue full), ENOMEM (too many peers), in this order. MUST have copied the data on
   * return. `payload` is one message in any number of parts. `attempt` is for the counters alone: the `only` one of a send that does not wait
   * (default), the `first` of one that does, or `another` of the same.
   */
  trySend(
    to: DatagramAddress,
    payload: Uint8Array | readonly Uint8Array[],
    control?: readonly ControlMessage[],
    attempt?: SendAttempt,
  ): DatagramErrno | undefined;

  /** The next item, notifications first; `undefined` when there is nothing. */
  tryReceive(request?: DatagramReceiveRequest): ReceivedItem | undefined;

  /** Whether something is there to receive. */
  readonly isReadable: boolean;
  /** Whether the send queue has room; says nothing about congestion. */
  readonly isWritable: boolean;

  /** Messages sent by this socket and not yet acknowledged or cancelled; `undefined` where the transport does not tell. */
  readonly pendingMessages: number | undefined;
  /** The default destination, for the list of sockets; the back end makes no other use of it. */
  connected: DatagramAddress | undefined;

  /** Drops what is queued or unacknowledged, to one destination or all. What is on the wire already may still arrive. */
  cancel(to?: DatagramAddress): void;

  /**
   * Congestion monitoring. A mask: a {@link CongestionUpdate} comes when ports of the mask (bit port mod 64) may be sent to again; the mask
   * stays. `"refused"`: the mask fills itself with the ports that gave ENOBUFS, and a bit leaves it when its update comes. `undefined`: off,
   * nothing pending any more.
   */
  monitorCongestion(mask: bigint | "refused" | undefined): void;
  /** The mask as it stands; `undefined` when monitoring is off. */
  readonly monitoredPorts: bigint | undefined;

  /** Where present, the limits can be read and set; setting does not re-evaluate congestion. A back end may round and cap what is set. */
  readonly limits: SocketLimits;

  /** Received messages carry the time at which they were queued. */
  timestamps: boolean;

  /** A list of the transport that serves this socket. */
  info<List extends keyof TransportInfoLists>(list: List): Promise<TransportInfoLists[List]>;

  /** Idempotent. Cancels what is unacknowledged, forgets what is unread, frees the port at once. */
  close(): Promise<void>;
}
