import type { MemoryRegion } from "./memory.js";

/** One completion (`ibv_wc`). Of a failed one only `wrId`, `status`, `statusCode`, `qpn` and `vendorError` have a meaning. */
export interface Completion {
  /** The number that was posted with the request. */
  readonly wrId: number;
  /** `success`, `work-request-flushed`, …; unknown codes as `unknown(N)`. */
  readonly status: string;
  /** `enum ibv_wc_status`. */
  readonly statusCode: number;
  /** `send`, `rdma-write`, `rdma-read`, `compare-and-swap`, `fetch-and-add`, `receive`, `receive-rdma-with-imm`; unknown ones as `unknown(N)`. */
  readonly opcode: string;
  /** Bytes received, the 40 of the GRH of a datagram included. */
  readonly byteLength: number;
  /** Immediate data that was received, in host order, if there was some; a sender's own completion has none. */
  readonly imm: number | undefined;
  /** Number of the queue pair that the request was posted to, 24 bits. */
  readonly qpn: number;
  /** Of datagrams: the sender's queue pair, and where it came from. */
  readonly srcQpn: number;
  /** Of datagrams: base LID of the sender, host form; 0 on Ethernet. */
  readonly slid: number;
  /** Of datagrams: service level, 0 … 15. */
  readonly sl: number;
  /** Of datagrams: low bits of the destination LID, which of the port's LIDs it came to (ports with an LMC). */
  readonly pathBits: number;
  /** Of datagrams to QP1: index of the P_Key it came with, in the port's table. */
  readonly pkeyIndex: number;
  /** True if the first 40 bytes of the receive hold a GRH. */
  readonly hasGrh: boolean;
  /** What the device says of a failure beyond its status; its numbers are the vendor's. */
  readonly vendorError: number;
}

/**
 * Completions in a block that is used again: valid until the next pull from the iterator it came from, or the next `poll()` of its queue.
 * The methods read one field of one completion and make no objects.
 */
export interface CompletionBatch extends Iterable<Completion> {
  /** The queue that it came from. */
  readonly cq: CompletionQueue;
  /** Completions in it; methods take an index of 0 … `length` - 1. */
  readonly length: number;
  /** The number that was posted with the request. */
  wrId(index: number): number;
  /** `enum ibv_wc_status`; 0 is success. */
  statusCode(index: number): number;
  /** `enum ibv_wc_opcode`. */
  opcodeCode(index: number): number;
  /** Bytes received, the 40 of a datagram's GRH included. */
  byteLength(index: number): number;
  /** Host order; 0 without immediate data. */
  imm(index: number): number;
  /** Queue pair that the request was posted to. */
  qpn(index: number): number;
  /** Of a datagram: the sender's queue pair. */
  srcQpn(index: number): number;
  /** A copy that stays valid. */
  at(index: number): Completion;
}

/**
 * How `completions()` waits.
 * - `event`: by an event of the channel. No processor time while nothing happens.
 * - `poll`: looks again at each turn of the loop. Shortest delay, one core busy.
 * - `adaptive`: polls for `spinUs` after the last completion, then waits for an event.
 */
export type DeliveryMode = "event" | "poll" | { readonly type: "adaptive"; readonly spinUs: number };

/** Options of {@link Context.createCompletionQueue}. */
export interface CompletionQueueOptions {
  /** Completions it can hold, at least; the device may round up. */
  readonly depth: number;
  /** Where its events go. Without a channel it can only be polled. */
  readonly channel?: CompletionChannel;
  /**
   * Completion vector: 0 … `limits().numCompVectors` - 1, or `auto` (the default) for the one with the fewest queues of this context, which
   * with a single vector is that one.
   */
  readonly vector?: number | "auto";
  /** Defaults to `event` with a channel, `poll` without. */
  readonly mode?: DeliveryMode;
  /** Wait only for completions of sends marked as solicited, and for failures. Others are delivered with the next of those. */
  readonly solicitedOnly?: boolean;
  /** Completions in one batch, at most; defaults to 256. */
  readonly batchSize?: number;
  /** What one turn of the event loop may take before it yields; defaults to 4,096 completions and 2,000 µs. */
  readonly budget?: { readonly items?: number; readonly microseconds?: number };
}

/** A completion queue (`ibv_cq`). */
export interface CompletionQueue extends AsyncDisposable {
  /** Number of this queue, the same in every thread. Events name it. */
  readonly id: number;
  /** Completions it can hold. */
  readonly depth: number;
  /** The vector its events are raised on. */
  readonly vector: number;
  /** Requests of all queue pairs on it that may be under way at once: never more than `depth`. */
  readonly reserved: number;
  /** The channel that its events go to, if it has one. */
  readonly channel: CompletionChannel | undefined;
  /**
   * Batches as they come, in the queue's mode. One reader; a second is refused with `VERBENA_NATIVE_BUSY`, and any with
   * `VERBENA_NATIVE_OPTION` in event mode on a shared channel. Not pulling is the back-pressure. Ends on close; rejects with
   * `VERBENA_NATIVE_CHANNEL` and errno once the device has gone, after what had come.
   */
  completions(): AsyncIterableIterator<CompletionBatch>;
  /**
   * What is there now, perhaps nothing, `batchSize` of them at most (`ibv_poll_cq`). For programs with a loop of their own. Throws
   * `VERBENA_NATIVE_BUSY` while `completions()` has a reader, `VERBENA_NATIVE_RECEIVE` with errno.
   */
  poll(): CompletionBatch;
  /**
   * Asks for one event at the next completion (`ibv_req_notify_cq`). Poll afterwards: what came before makes none. Throws
   * `VERBENA_NATIVE_RECEIVE` with errno.
   */
  arm(options?: { readonly solicitedOnly?: boolean }): void;
  /** `ibv_resize_cq`: makes room for more or fewer. Rejects with `VERBENA_NATIVE_CQ_OVERRUN` below `reserved`, `VERBENA_NATIVE_MODIFY` with errno. */
  resize(depth: number): Promise<void>;
  /** `ibv_destroy_cq`. Idempotent. Closes the queue pairs on it first. Every event is acknowledged. */
  close(): Promise<void>;
}

/** What another thread needs to use a channel: send it by `postMessage`. Valid in this process while the channel is open somewhere. */
export interface ChannelToken {
  /** Number of the channel in this process. */
  readonly verbenaChannel: number;
  /** Names it in errors. */
  readonly name: string;
}

/**
 * A completion event channel (`ibv_comp_channel`): carries the events of any number of completion queues. The library counts and acknowledges
 * them. Reading it keeps the process alive only while something waits.
 */
export interface CompletionChannel extends AsyncDisposable {
  /** For a loop of the program's own; becomes readable with an event. Non-blocking. Belongs to the channel. */
  readonly fd: number;
  /**
   * Takes one event and tells its queue, `undefined` if there is none; never waits (`ibv_get_cq_event` on a non-blocking descriptor). Throws
   * `VERBENA_NATIVE_BUSY` while something else reads the channel, `VERBENA_NATIVE_CHANNEL` with errno once its device has gone (EIO).
   */
  tryRead(): CompletionQueue | undefined;
  /**
   * The queue of each event. The queue is not armed then: arm it, then poll it until it is empty. In several threads that share the channel
   * each event reaches exactly one. One reader a thread; a second is refused with `VERBENA_NATIVE_BUSY`. Ends on close; rejects with
   * `VERBENA_NATIVE_CHANNEL` and errno once the device has gone (EIO).
   */
  events(): AsyncIterableIterator<CompletionQueue>;
  /**
   * Lets other threads have a handle of their own, made by {@link RdmaService.adoptChannel}. Queues of a channel that is shared are read by
   * `events()` in all threads; their `completions()` in event mode is refused.
   */
  share(): ChannelToken;
  /** `ibv_destroy_comp_channel`. Idempotent. Closes its queues first. With other threads on it, the channel itself goes with the last of them. */
  close(): Promise<void>;
}

/** How a channel takes part in a group. */
export interface GroupMembership {
  /** 0 is the most urgent class. Defaults to 0. */
  readonly priority?: number;
}

/** One event of {@link ChannelGroup.wait}. */
export interface GroupEvent {
  /** The channel that the event came through. */
  readonly channel: CompletionChannel;
  /** The queue that has a completion; it is not armed. */
  readonly cq: CompletionQueue;
  /** Class of the channel in the group, 0 is the most urgent. */
  readonly priority: number;
}

/** Options of a wait. */
export interface WaitOptions {
  /** Milliseconds; defaults to no limit. 0 looks once. */
  readonly timeoutMs?: number;
  /** Rejects with its reason at once. */
  readonly signal?: AbortSignal;
}

/** Options of {@link RdmaService.openChannelGroup}. */
export interface ChannelGroupOptions {
  /**
   * One of so many batches is of a lower class that has work, however busy the higher ones are; lower classes take these in turn. At least 2;
   * defaults to 8.
   */
  readonly lowerShare?: number;
  /** Events of one `wait()`, at most; defaults to 64. */
  readonly maxEvents?: number;
}

/** Several channels in one epoll set, in classes of priority. */
export interface ChannelGroup extends AsyncDisposable {
  /**
   * The channel is read through the group from now on. Throws `VERBENA_NATIVE_BUSY` if something else reads it, `VERBENA_NATIVE_CHANNEL` with
   * errno of `epoll_ctl`.
   */
  add(channel: CompletionChannel, membership?: GroupMembership): void;
  /** Gives the channel back, to be read otherwise. Of one that is no member: nothing. */
  remove(channel: CompletionChannel): void;
  /**
   * Events of any channel, the most urgent first, empty after the time-out. Their queues are not armed: arm, then poll until empty. Rejects
   * with `VERBENA_NATIVE_CHANNEL` for a channel that has failed (its device has gone: errno EIO), once its last events were told;
   * `details.channel` is that channel, which has left the group. Rejects at once with the reason of `signal`, with `VERBENA_NATIVE_BUSY` while
   * another wait is under way, with `VERBENA_NATIVE_CLOSED` when the group is closed.
   */
  wait(options?: WaitOptions): Promise<readonly GroupEvent[]>;
  /**
   * Batches of all queues of all channels: before each the classes are looked at anew, so that an urgent completion waits for one batch of
   * lower classes at most; queues of one class take turns. Arms, drains and acknowledges. Ends when the group is closed. A channel that has
   * failed ends it with the error of `wait()`; call again to go on with the others. One reader; a second is refused with
   * `VERBENA_NATIVE_BUSY`.
   */
  completions(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<CompletionBatch>;
  /** Idempotent. Ends what waits; the channels stay open. */
  close(): Promise<void>;
}

/** A message of {@link QueuePair.messages}: valid until the next pull, when its buffer goes back to the device. */
export interface Message {
  /** The payload, without the GRH of a datagram; empty for an RDMA write with immediate data, whose bytes are where it wrote them. */
  readonly bytes: Uint8Array;
  /** The 40 bytes in front of a datagram that came with a GRH. */
  readonly grh: Uint8Array | undefined;
  /** The completion of its receive: a copy that stays. */
  readonly completion: Completion;
}

/** Options of {@link QueuePair.messages}. */
export interface MessageOptions {
  /** Largest payload in bytes. */
  readonly size: number;
  /** Receives that are posted at once; defaults to what the queue has room for, at most 64. */
  readonly count?: number;
  /** Memory for them, `count` × (`size`, and 40 for datagrams); allocated if not given. */
  readonly region?: MemoryRegion;
}
