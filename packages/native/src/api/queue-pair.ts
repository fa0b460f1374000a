import type { Gid, Mtu } from "@verbena/ib";
import type { Completion, CompletionQueue, Message, MessageOptions } from "./completions.js";
import type { AccessFlag, MemorySegment } from "./memory.js";

/** Reliable connection, unreliable connection, unreliable datagram. */
export type QueuePairType = "rc" | "uc" | "ud";

/** `enum ibv_qp_state`. */
export type QueuePairState = "reset" | "init" | "rtr" | "rts" | "sqd" | "sqe" | "error" | "unknown";

/** What a queue pair can hold. */
export interface QueuePairCaps {
  /** Sends that may be under way at once. */
  readonly maxSendWr: number;
  /** Receives that may be posted at once. */
  readonly maxRecvWr: number;
  /** Segments of one request. */
  readonly maxSendSge: number;
  /** Segments of one receive. */
  readonly maxRecvSge: number;
  /** Bytes of an inline send. */
  readonly maxInline: number;
}

/** Options of {@link ProtectionDomain.createQueuePair}. Capacities default to 64 requests of 1 segment, no inline data. */
export interface QueuePairOptions extends Partial<QueuePairCaps> {
  /** Transport service (IBA 9.2.2). */
  readonly type: QueuePairType;
  /** Where completions of sends go. */
  readonly sendCq: CompletionQueue;
  /** Defaults to `sendCq`. */
  readonly recvCq?: CompletionQueue;
  /** Takes receives from a queue that it shares with others, in place of one of its own. */
  readonly srq?: SharedReceiveQueue;
  /** Every send makes a completion, whatever its request says (`sq_sig_all`). Defaults to false. */
  readonly signalsAll?: boolean;
}

/** The way to a peer (`ibv_ah_attr`). */
export interface AddressAttributes {
  /** Port to send from. */
  readonly port: number;
  /** LID of the destination; 0 on Ethernet. */
  readonly dlid?: number;
  /** Service level, 0 … 15; defaults to 0. */
  readonly sl?: number;
  /** Low bits of the source LID, where the port has several (LMC); defaults to 0. */
  readonly pathBits?: number;
  /** Rate code (`enum ibv_rate`); 0, the default, is the port's own. */
  readonly staticRate?: number;
  /** With it a GRH is sent: needed on Ethernet, between subnets and to multicast groups. */
  readonly grh?: {
    readonly dgid: Gid;
    readonly sgidIndex: number;
    readonly hopLimit?: number;
    readonly trafficClass?: number;
    readonly flowLabel?: number;
  };
}

/** Attributes of a queue pair (`ibv_qp_attr`). Those that are given are changed. */
export interface QueuePairAttributes {
  /** The state to go to (IBA 10.3.1). */
  readonly state?: QueuePairState;
  /** The state that it is believed to be in, where the device is to check that. */
  readonly currentState?: QueuePairState;
  /** Code of the largest payload of a packet: 1 = 256 … 5 = 4096 bytes. */
  readonly pathMtu?: Mtu;
  /** Q_Key of datagrams, 32 bits, host form. */
  readonly qkey?: number;
  /** First packet sequence number to expect, 24 bits. */
  readonly rqPsn?: number;
  /** First packet sequence number to send, 24 bits. */
  readonly sqPsn?: number;
  /** Queue pair of the peer, 24 bits. */
  readonly destQpn?: number;
  /** What the peer may do. */
  readonly access?: readonly AccessFlag[];
  /** Index in the port's P_Key table. */
  readonly pkeyIndex?: number;
  /** Port of the device, counted from 1. */
  readonly port?: number;
  /** The way to the peer. */
  readonly address?: AddressAttributes;
  /** RDMA reads and atomics under way from here, and towards here. */
  readonly maxRdAtomic?: number;
  /** RDMA reads and atomics that the peer may have under way towards here. */
  readonly maxDestRdAtomic?: number;
  /** Timer code (IBA table 45), 0 … 31. */
  readonly minRnrTimer?: number;
  /** Exponent: 4.096 µs × 2^n. */
  readonly timeout?: number;
  /** Times a request is sent again that nobody acknowledges, 0 … 7. */
  readonly retryCnt?: number;
  /** 7 is for ever. */
  readonly rnrRetry?: number;
  /** An event when the send queue has drained in state `sqd`. */
  readonly notifyDrained?: boolean;
}

/** Attributes and state as the device has them. */
export interface QueuePairStatus extends QueuePairAttributes {
  /** The state that it is in. */
  readonly state: QueuePairState;
  /** What it can hold. */
  readonly caps: QueuePairCaps;
  /** In state `sqd`: sends are under way still. */
  readonly isDraining: boolean;
}

/** Where data is: pieces of memory, gathered or scattered in order. */
export type Segments = MemorySegment | readonly MemorySegment[];

/** What all requests of a send queue have. */
export interface SendCommon {
  /** Given back with the completion; any number, defaults to 0. */
  readonly wrId?: number;
  /** What is sent or written, or where what is read is put; nothing if absent. */
  readonly data?: Segments;
  /** Makes a completion. Defaults to true. A request without one holds its credit until a later one completes. */
  readonly signaled?: boolean;
  /** Waits for reads and atomics that were posted before it. */
  readonly fence?: boolean;
  /** The bytes are taken while posting: the memory is free at once. At most `maxInline`. */
  readonly inline?: boolean;
}

/** A message. To a datagram queue pair it needs `to`. */
export interface SendMessage extends SendCommon {
  /** Defaults to this. */
  readonly opcode?: "send";
  /** 32 bits, host order. */
  readonly imm?: number;
  /** Raises the event of a receiver that waits for solicited completions only. */
  readonly solicited?: boolean;
  /** Of datagrams: the way to the peer, its queue pair (24 bits), and the Q_Key that it checks (32 bits, host form). */
  readonly to?: { readonly ah: AddressHandle; readonly qpn: number; readonly qkey: number };
}

/** Reads or writes the peer's memory. A write with immediate data takes one of its receives. */
export interface SendRdma extends SendCommon {
  /** What is done with the peer's memory. */
  readonly opcode: "rdma-write" | "rdma-read";
  /** Where in the peer's memory, as the peer has told (`MemoryRegion.address`). */
  readonly remoteAddress: bigint;
  /** R_Key of that memory, 32 bits. */
  readonly rkey: number;
  /** Of a write: 32 bits that the peer's receive completes with, host order. */
  readonly imm?: number;
  /** Of a write with immediate data: raises the event of a receiver that waits for solicited completions only. */
  readonly solicited?: boolean;
}

/** An atomic on 8 aligned bytes of the peer; the old value comes to `data`, in host order. */
export interface SendAtomic extends SendCommon {
  /** What is done with the 8 bytes. */
  readonly opcode: "compare-and-swap" | "fetch-and-add";
  /** Where in the peer's memory, a multiple of 8. */
  readonly remoteAddress: bigint;
  /** R_Key of that memory, 32 bits. */
  readonly rkey: number;
  /** What is compared with. */
  readonly compare?: bigint;
  /** What is put in its place. */
  readonly swap?: bigint;
  /** What is added. */
  readonly add?: bigint;
}

/** A request of a send queue (`ibv_send_wr`). */
export type SendRequest = SendMessage | SendRdma | SendAtomic;

/** A request of a receive queue (`ibv_recv_wr`). */
export interface ReceiveRequest {
  /** Given back with the completion; any number, defaults to 0. */
  readonly wrId?: number;
  /** Where the message is put; of datagrams the first 40 bytes are for a GRH. */
  readonly data?: Segments;
}

/** Requests that were translated once and can be posted again and again. */
export interface PreparedWork extends Disposable {
  /** Number of requests. */
  readonly length: number;
  /** Posts all of them. Throws `VERBENA_NATIVE_QUEUE_FULL` if there is no room, `VERBENA_NATIVE_POST` with `details.posted`. */
  post(): void;
  /** Idempotent. Those under way stay. */
  close(): void;
}

/** `ibv_ah`: the way to a peer, for datagrams. */
export interface AddressHandle extends AsyncDisposable {
  /** Idempotent. */
  close(): Promise<void>;
}

/** Receives that several queue pairs share (`ibv_srq`). Its completions come to the receive queues of those. */
export interface SharedReceiveQueue extends AsyncDisposable {
  /** Number of this queue; events name it. */
  readonly id: number;
  /** Receives that it holds, at most. */
  readonly maxWr: number;
  /** Segments of one receive, at most. */
  readonly maxSge: number;
  /** Receives that can still be posted. */
  readonly credits: number;
  /** As {@link QueuePair.postReceive}. */
  postReceive(requests: readonly ReceiveRequest[]): void;
  /**
   * Raises the device event `srq-limit-reached` once fewer than `limit` receives are left (`ibv_modify_srq`). Rejects with
   * `VERBENA_NATIVE_MODIFY` with errno.
   */
  setLimit(limit: number): Promise<void>;
  /** Idempotent. Closes the queue pairs on it first. */
  close(): Promise<void>;
}

/** A queue pair (`ibv_qp`). */
export interface QueuePair extends AsyncDisposable {
  /** Its number, 24 bits: what a peer is told. */
  readonly qpn: number;
  /** Transport service. */
  readonly type: QueuePairType;
  /** Where completions of sends go. */
  readonly sendCq: CompletionQueue;
  /** Where completions of receives go. */
  readonly recvCq: CompletionQueue;
  /** The queue that its receives are taken from, if it has none of its own. */
  readonly srq: SharedReceiveQueue | undefined;
  /** As asked for, `maxInline` as the device gave it. */
  readonly caps: QueuePairCaps;
  /** Sends and receives that can still be posted. */
  readonly sendCredits: number;
  /** Receives that can still be posted. */
  readonly receiveCredits: number;

  /**
   * `ibv_modify_qp`: the mask follows from the attributes given. Rejects with `VERBENA_NATIVE_MODIFY` with errno. Changes of one queue pair are
   * made in the order in which they were asked for.
   */
  modify(attributes: QueuePairAttributes): Promise<void>;
  /** `ibv_query_qp`, after the changes that were asked for before. Rejects with `VERBENA_NATIVE_QUERY` with errno. */
  query(): Promise<QueuePairStatus>;
  /** From RESET. `port` 1, `pkeyIndex` 0, no access for the peer, Q_Key 0 unless given. */
  toInit(attributes?: Pick<QueuePairAttributes, "port" | "pkeyIndex" | "qkey" | "access">): Promise<void>;
  /** From INIT. Connected types need `destQpn` and `address`; `pathMtu` defaults to the port's active MTU, `rqPsn` to 0. */
  toRtr(
    attributes?: Pick<
      QueuePairAttributes,
      "destQpn" | "address" | "pathMtu" | "rqPsn" | "maxDestRdAtomic" | "minRnrTimer"
    >,
  ): Promise<void>;
  /** From RTR. Defaults: `sqPsn` 0, `timeout` 14, `retryCnt` 7, `rnrRetry` 7, `maxRdAtomic` 1. */
  toRts(
    attributes?: Pick<QueuePairAttributes, "sqPsn" | "timeout" | "retryCnt" | "rnrRetry" | "maxRdAtomic">,
  ): Promise<void>;
  /** To ERR, from any state: everything under way ends with the status `work-request-flushed`. Rejects as `modify()`. */
  toError(): Promise<void>;
  /** To RESET: forgets everything under way; promises of `send()` reject with `VERBENA_NATIVE_CLOSED`. Rejects as `modify()`. */
  toReset(): Promise<void>;

  /**
   * Posts requests in order, in one call (`ibv_post_send`). Throws `VERBENA_NATIVE_QUEUE_FULL` if there is no room for all of them (none is posted then), or
   * `VERBENA_NATIVE_POST` with errno and, in `details.posted`, how many the device has taken.
   */
  postSend(requests: readonly SendRequest[]): void;
  /** As `postSend`, for receives (`ibv_post_recv`). Throws `VERBENA_NATIVE_OPTION` where a shared receive queue takes their place. */
  postReceive(requests: readonly ReceiveRequest[]): void;
  /** Translates requests to be posted again and again. Region and address handles MUST stay open meanwhile. */
  prepareSend(requests: readonly SendRequest[]): PreparedWork;
  /** As `prepareSend`, for receives. */
  prepareReceive(requests: readonly ReceiveRequest[]): PreparedWork;

  /**
   * Posts one request and resolves with its completion; rejects with `VERBENA_NATIVE_COMPLETION` if it failed. Memory slices among its data are
   * lent meanwhile. `signal` ends the wait, not the request: slices stay lent until it is over.
   */
  send(request: SendRequest, options?: { readonly signal?: AbortSignal }): Promise<Completion>;
  /**
   * Messages as they come, on a ring of receives that go back to the device as the reader pulls: its pace is the back-pressure. Owns the
   * receive queue while it is open; leave the loop to end it, and its receives stay posted until the queue pair is closed or reset. A receive
   * that fails ends it with `VERBENA_NATIVE_COMPLETION`; closing the queue pair ends it without.
   */
  messages(options: MessageOptions): AsyncIterableIterator<Message>;

  /**
   * Joins a multicast group on the device (`ibv_attach_mcast`); the group itself is joined at the SA, which tells `mlid`. Only for datagrams.
   * Rejects with `VERBENA_NATIVE_MODIFY` with errno.
   */
  attachMulticast(group: Gid, mlid: number): Promise<void>;
  /** Leaves it on the device (`ibv_detach_mcast`). Rejects with `VERBENA_NATIVE_MODIFY` if it was no member. */
  detachMulticast(group: Gid, mlid: number): Promise<void>;
  /**
   * Idempotent. Flushes what is under way and delivers its completions; promises that are left reject with `VERBENA_NATIVE_CLOSED`. Leaves its
   * multicast groups.
   */
  close(): Promise<void>;
}
