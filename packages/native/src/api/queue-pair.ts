import type { Gid, Mtu } from "@verbena/ib";
import type { Completion, CompletionQueue, Message, MessageOptions } from "./completions.js";
import type { AccessFlag, MemorySegment } from "./memory.js";

/** Reliable connection, unreliable connection, unreliable datagram. */
export type QueuePairType = "rc" | "uc" | "ud";

/** `enum ibv_qp_state`. */
export type QueuePairState = "reset" | "init" | "rtr" | "rts" | "sqd" | "sqe" | "error" | "unknown";

/** What a queue pair can hold. */
export interface QueuePairCaps {
  readonly maxSendWr: number;
  readonly maxRecvWr: number;
  /** Segments of one request. */
  readonly maxSendSge: number;
  readonly maxRecvSge: number;
  /** Bytes of an inline send. */
  readonly maxInline: number;
}

/** Options of {@link ProtectionDomain.createQueuePair}. Capacities default to 64 requests of 1 segment, no inline data. */
export interface QueuePairOptions extends Partial<QueuePairCaps> {
  readonly type: QueuePairType;
  readonly sendCq: CompletionQueue;
  /** Defaults to `sendCq`. */
  readonly recvCq?: CompletionQueue;
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
  readonly sl?: number;
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
  readonly state?: QueuePairState;
  readonly currentState?: QueuePairState;
  readonly pathMtu?: Mtu;
  readonly qkey?: number;
  /** First packet sequence number to expect, 24 bits. */
  readonly rqPsn?: number;
  /** First packet sequence number to send, 24 bits. */
  readonly sqPsn?: number;
  readonly destQpn?: number;
  /** What the peer may do. */
  readonly access?: readonly AccessFlag[];
  readonly pkeyIndex?: number;
  readonly port?: number;
  readonly address?: AddressAttributes;
  /** RDMA reads and atomics under way from here, and towards here. */
  readonly maxRdAtomic?: number;
  readonly maxDestRdAtomic?: number;
  /** Timer code (IBA table 45), 0 … 31. */
  readonly minRnrTimer?: number;
  /** Exponent: 4.096 µs × 2^n. */
  readonly timeout?: number;
  readonly retryCnt?: number;
  /** 7 is for ever. */
  readonly rnrRetry?: number;
  /** An event when the send queue has drained in state `sqd`. */
  readonly notifyDrained?: boolean;
}

/** Attributes and state as the device has them. */
export interface QueuePairStatus extends QueuePairAttributes {
  readonly state: QueuePairState;
  readonly caps: QueuePairCaps;
  readonly isDraining: boolean;
}

/** Where data is: pieces of memory, gathered or scattered in order. */
export type Segments = MemorySegment | readonly MemorySegment[];

/** What all requests of a send queue have. */
export interface SendCommon {
  /** Given back with the completion; any number, defaults to 0. */
  readonly wrId?: number;
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
  readonly opcode?: "send";
  /** 32 bits, host order. */
  readonly imm?: number;
  /** Raises the event of a receiver that waits for solicited completions only. */
  readonly solicited?: boolean;
  readonly to?: { readonly ah: AddressHandle; readonly qpn: number; readonly qkey: number };
}

/** Reads or writes the peer's memory. A write with immediate data takes one of its receives. */
export interface SendRdma extends SendCommon {
  readonly opcode: "rdma-write" | "rdma-read";
  readonly remoteAddress: bigint;
  readonly rkey: number;
  readonly imm?: number;
  readonly solicited?: boolean;
}

/** An atomic on 8 aligned bytes of the peer; the old value comes to `data`, in host order. */
export interface SendAtomic extends SendCommon {
  readonly opcode: "compare-and-swap" | "fetch-and-add";
  readonly remoteAddress: bigint;
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
  readonly wrId?: number;
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
  readonly maxWr: number;
  readonly maxSge: number;
  /** Receives that can still be posted. */
  readonly credits: number;
  /** As {@link QueuePair.postReceive}. */
  postReceive(requests: readonly ReceiveRequest[]): void;
  /** Raises the device event `srq-limit-reached` once fewer than `limit` receives are left. */
  setLimit(limit: number): Promise<void>;
  /** Idempotent. Closes the queue pairs on it first. */
  close(): Promise<void>;
}

/** A queue pair (`ibv_qp`). */
export interface QueuePair extends AsyncDisposable {
  readonly qpn: number;
  readonly type: QueuePairType;
  readonly sendCq: CompletionQueue;
  readonly recvCq: CompletionQueue;
  readonly srq: SharedReceiveQueue | undefined;
  /** As asked for, `maxInline` as the device gave it. */
  readonly caps: QueuePairCaps;
  /** Sends and receives that can still be posted. */
  readonly sendCredits: number;
  readonly receiveCredits: number;

  /**
   * `ibv_modify_qp`: the mask follows from the attributes given. Rejects with `VERBENA_NATIVE_MODIFY` with errno. Changes of one queue pair are
   * made in the order in which they were asked for.
   */
  modify(attributes: QueuePairAttributes): Promise<void>;
  /** `ibv_query_qp`, after the changes that were asked for before. */
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
  /** Everything under way ends with the status `work-request-flushed`. */
  toError(): Promise<void>;
  /** Forgets everything under way; promises of `send()` reject. */
  toReset(): Promise<void>;

  /**
   * Posts requests in order, in one call. Throws `VERBENA_NATIVE_QUEUE_FULL` if there is no room for all of them (none is posted then), or
   * `VERBENA_NATIVE_POST` with errno and, in `details.posted`, how many the device has taken.
   */
  postSend(requests: readonly SendRequest[]): void;
  /** As `postSend`, for receives. Throws `VERBENA_NATIVE_OPTION` where a shared receive queue takes their place. */
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

  /** Joins a multicast group on the device; the group itself is joined at the SA. Only for datagrams. */
  attachMulticast(group: Gid, mlid: number): Promise<void>;
  /** Leaves it on the device. Rejects with `VERBENA_NATIVE_MODIFY` if it was no member. */
  detachMulticast(group: Gid, mlid: number): Promise<void>;
  /**
   * Idempotent. Flushes what is under way and delivers its completions; promises that are left reject with `VERBENA_NATIVE_CLOSED`. Leaves its
   * multicast groups.
   */
  close(): Promise<void>;
}
