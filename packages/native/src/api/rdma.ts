import type { Gid } from "@verbena/ib";
import type {
  ChannelGroup,
  ChannelGroupOptions,
  ChannelToken,
  CompletionChannel,
  CompletionQueue,
  CompletionQueueOptions,
} from "./completions.js";
import type { AllocateOptions, MemoryRegion, RegisterOptions } from "./memory.js";
import type {
  AddressAttributes,
  AddressHandle,
  QueuePair,
  QueuePairOptions,
  SharedReceiveQueue,
} from "./queue-pair.js";
import type { NativeServices } from "./services.js";
import type { VerbsContext, VerbsService } from "./verbs.js";

/** What a device can have of each kind (`ibv_device_attr`). */
export interface DeviceLimits {
  /** Completion vectors: interrupts that completion events can be spread over. */
  readonly numCompVectors: number;
  /** Queue pairs. */
  readonly maxQp: number;
  /** Requests of one queue of a queue pair. */
  readonly maxQpWr: number;
  /** Segments of one request. */
  readonly maxSge: number;
  /** Completion queues. */
  readonly maxCq: number;
  /** Completions of one queue. */
  readonly maxCqe: number;
  /** Memory regions. */
  readonly maxMr: number;
  /** Bytes of one region. */
  readonly maxMrSize: bigint;
  /** Protection domains. */
  readonly maxPd: number;
  /** Shared receive queues. */
  readonly maxSrq: number;
  /** Receives of one of them. */
  readonly maxSrqWr: number;
  /** Segments of one receive of these. */
  readonly maxSrqSge: number;
  /** RDMA reads and atomics that may come to one queue pair at once. */
  readonly maxQpRdAtom: number;
  /** Multicast groups. */
  readonly maxMcastGrp: number;
  /** `none`, `hca` (atomic among the device's own accesses), `global`, or `unknown(N)`. */
  readonly atomics: string;
}

/**
 * An open device with everything that can be made of it. A parent closes its children first: queue pairs, address handles, shared receive
 * queues, memory regions, completion queues, channels, protection domains.
 *
 * What makes, changes, asks or destroys one of these is a call into the kernel that may take milliseconds, runs on Node's thread pool and gives
 * a promise. Calls that change one object are carried out in the order in which they were made; `close()` waits for those under way, and one
 * that was to make a child then rejects with `VERBENA_NATIVE_CLOSED`. Traffic (posting, polling, arming, reading events) never waits and is
 * synchronous.
 */
export interface Context extends VerbsContext {
  /** `ibv_query_device`. Throws `VERBENA_NATIVE_QUERY` with errno. */
  limits(): DeviceLimits;
  /**
   * One entry of a port's GID table (`ibv_query_gid`), `Gid.zero` if it is empty: `sgidIndex` of a GRH is this index, while `gids()` leaves
   * empty entries out. Throws `VERBENA_NATIVE_OPTION` beyond the table, `VERBENA_NATIVE_QUERY` with errno.
   */
  queryGid(port: number, index: number): Gid;
  /** `ibv_alloc_pd`. Rejects with `VERBENA_NATIVE_CREATE` with errno. */
  createProtectionDomain(): Promise<ProtectionDomain>;
  /** `ibv_create_comp_channel`. Rejects with `VERBENA_NATIVE_CREATE` with errno: EMFILE (open files), ENOMEM (system resources). */
  createCompletionChannel(): Promise<CompletionChannel>;
  /** `ibv_create_cq`. Rejects with `VERBENA_NATIVE_OPTION` for a vector out of range, `VERBENA_NATIVE_CREATE` with errno. */
  createCompletionQueue(options: CompletionQueueOptions): Promise<CompletionQueue>;
}

/** A protection domain (`ibv_pd`): queue pairs reach the memory of their own only. */
export interface ProtectionDomain extends AsyncDisposable {
  /**
   * Page-aligned memory of `length` bytes, zeroed and registered (`mmap`, `ibv_reg_mr`). Rejects with `VERBENA_NATIVE_MEMORY` with errno:
   * ENOMEM (locked memory, huge pages).
   */
  allocate(length: number, options?: AllocateOptions): Promise<MemoryRegion>;
  /**
   * Registers memory of the program (`ibv_reg_mr`). It is held, and may not be handed over by `postMessage`, until the region is closed; it MUST NOT be detached
   * (`transfer()`) meanwhile. Resizable buffers are refused. A SharedArrayBuffer may be used by other threads. Rejects with
   * `VERBENA_NATIVE_MEMORY`.
   */
  register(buffer: ArrayBuffer | SharedArrayBuffer, options?: RegisterOptions): Promise<MemoryRegion>;
  /**
   * `ibv_create_qp`. Rejects with `VERBENA_NATIVE_CREATE` with errno, or with `VERBENA_NATIVE_CQ_OVERRUN` if its requests could overrun a
   * completion queue.
   */
  createQueuePair(options: QueuePairOptions): Promise<QueuePair>;
  /** `ibv_create_srq`. Rejects with `VERBENA_NATIVE_CREATE` with errno. */
  createSharedReceiveQueue(options: { readonly maxWr: number; readonly maxSge?: number }): Promise<SharedReceiveQueue>;
  /** `ibv_create_ah`. Rejects with `VERBENA_NATIVE_CREATE` with errno. */
  createAddressHandle(attributes: AddressAttributes): Promise<AddressHandle>;
  /** Idempotent. Closes everything made of it first. */
  close(): Promise<void>;
}

/** Verbs: devices, and what traffic needs. */
export interface RdmaService extends VerbsService {
  /** `ibv_open_device`. Throws `VERBENA_NATIVE_OPEN` with errno: ENODEV (no such device), EACCES (no permission). */
  open(device: string): Context;
  /** A handle on a channel that another thread shares. Throws `VERBENA_NATIVE_CLOSED` once nobody holds it any more. */
  adoptChannel(token: ChannelToken): CompletionChannel;
  /** An empty group, which takes a descriptor (`epoll_create1`). Throws `VERBENA_NATIVE_CREATE` with errno. */
  openChannelGroup(options?: ChannelGroupOptions): ChannelGroup;
}

/** What {@link openNative} gives. */
export interface Native extends NativeServices {
  /** Devices, and what traffic needs. */
  readonly verbs: RdmaService;
  /**
   * Ties the calling thread to these processors: the main thread, or the worker that calls it. Threads that it starts later inherit it, others
   * keep theirs. Throws `VERBENA_NATIVE_OPTION` for numbers that are none, `VERBENA_NATIVE_SYSTEM` with errno (EINVAL: no such processor).
   */
  setThreadAffinity(cpus: readonly number[]): void;
  /** The processors that the calling thread may run on. */
  threadAffinity(): readonly number[];
}
