import type { IpAddress } from "@verbena/ib";
import type { DatagramAddress } from "./datagram-socket.js";

/** A counter under the name that Linux gives it. */
export interface TransportCounter {
  readonly name: string;
  readonly value: bigint;
}

/** A connection to a peer: all sockets of the pair of addresses share it. */
export interface ConnectionInfo {
  readonly local: IpAddress;
  readonly remote: IpAddress;
  readonly transport: string;
  /** Sequence number of the next message sent. */
  readonly nextTx: bigint;
  /** Sequence number after that of the last message received. */
  readonly nextRx: bigint;
  readonly isSending: boolean;
  readonly isConnecting: boolean;
  readonly isConnected: boolean;
  readonly tos: number;
}

/** A message in a queue. In receive queues `local` is the receiver, in the others the sender. */
export interface QueuedMessageInfo {
  readonly sequence: bigint;
  /** Payload bytes. */
  readonly length: number;
  readonly local: DatagramAddress;
  readonly remote: DatagramAddress;
  readonly tos: number;
}

/** A bound socket. */
export interface SocketInfo {
  /** Payload bytes. */
  readonly sendBufferSize: number;
  readonly receiveBufferSize: number;
  readonly bound: DatagramAddress;
  readonly connected: DatagramAddress | undefined;
  /** Unlike any other socket's of this list. */
  readonly inode: bigint;
}

/** A TCP connection that carries messages. */
export interface TcpSocketInfo {
  readonly local: IpAddress;
  readonly localPort: number;
  readonly remote: IpAddress;
  readonly remotePort: number;
  /** Bytes still to come of the message being received. */
  readonly headerRemaining: bigint;
  readonly dataRemaining: bigint;
  /** Stream positions, modulo 2^32: behind the last byte written, of the oldest message not acknowledged, acknowledged by the peer. */
  readonly lastSentNext: number;
  readonly lastExpectedUna: number;
  readonly lastSeenUna: number;
  readonly tos: number;
}

/** The lists that a transport can show; those of RDS_INFO_* of Linux. */
export interface TransportInfoLists {
  readonly counters: readonly TransportCounter[];
  readonly connections: readonly ConnectionInfo[];
  readonly sendQueue: readonly QueuedMessageInfo[];
  readonly retransmitQueue: readonly QueuedMessageInfo[];
  readonly receiveQueue: readonly QueuedMessageInfo[];
  readonly sockets: readonly SocketInfo[];
  readonly tcpSockets: readonly TcpSocketInfo[];
}
