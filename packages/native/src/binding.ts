import type { BindingError } from "./binding-error.js";
import type { RdsSocketBinding, TcpListenerBinding, TcpStreamBinding } from "./binding-sockets.js";

export type { BindingError } from "./binding-error.js";
export type { RdsSocketBinding, TcpListenerBinding, TcpStreamBinding } from "./binding-sockets.js";

/**
 * Everything the addon exports. It is declared here and in the files `binding-*.ts`, and nowhere else. C++ converts, calls and reports; policy,
 * names of values and coded errors are made in TypeScript. Each function throws a plain `Error` that fits {@link BindingError} when the
 * call behind it fails.
 */
export interface NativeBinding {
  /** Loads libibumad, or a library that exports the same functions. */
  openUmad(path: string): UmadLibraryBinding;
  /** Loads libibverbs, or a library that exports the same functions. */
  openVerbs(path: string): VerbsLibraryBinding;
  /** Loads libfabricsim.so and names the simulated nodes (comma list) of this process. */
  attachFabric(library: string, dir: string, nodes: string): void;
  /** Objects of libibverbs that all threads of this process have open, of each kind: for tests that look for leaks. */
  liveVerbsObjects(): Readonly<Record<string, number>>;
  /** A completion channel that another thread of this process shares; `undefined` once nobody holds it any more. */
  adoptChannel(token: number): CompletionChannelBinding | undefined;
  /** An empty epoll set. */
  openChannelGroup(): ChannelGroupBinding;
  /** Opens a non-blocking netlink socket bound to a mask of multicast groups. */
  openNetlink(protocol: number, groups: number): NetlinkSocketBinding;
  /** Takes over an open netlink socket, which belongs to the new object unless this throws. */
  adoptNetlink(fd: number): NetlinkSocketBinding;
  /** Opens a non-blocking AF_RDS socket of the kernel. */
  openRds(): RdsSocketBinding;
  /** The same around a duplicate of a datagram socket of any family: for tests without the kernel's module. */
  duplicateRds(fd: number): RdsSocketBinding;
  /** A listening TCP socket of one numeric address. */
  listenTcp(host: string, scopeId: number, port: number, backlog: number): TcpListenerBinding;
  /** Begins to connect from one numeric address to another; port 0 of the local one lets the kernel choose. */
  connectTcp(
    host: string,
    scopeId: number,
    port: number,
    remoteHost: string,
    remoteScopeId: number,
    remotePort: number,
  ): TcpStreamBinding;
  /** A server of the client protocol on a thread of its own. */
  openFrontEnd(limits: FrontEndLimits, onEvents: (batch: Buffer) => void): FrontEndBinding;
  /** SO_PEERCRED; `undefined` for a socket without them. */
  peerCredentials(fd: number): { readonly pid: number; readonly uid: number; readonly gid: number } | undefined;
  /** `sched_setaffinity` of the calling thread. */
  setThreadAffinity(cpus: readonly number[]): void;
  /** `sched_getaffinity` of the calling thread. */
  threadAffinity(): readonly number[];
  /** What kind of socket a descriptor is, in numbers of the C library; `undefined` if it is none. Marks it close-on-exec. */
  describeSocket(fd: number): SocketDescription | undefined;
  /** One datagram to a Unix socket; a path that starts with `@` is in the abstract name space. */
  sendDatagram(path: string, text: string): void;
  /** Opens, creates and locks a file: its descriptor, or `undefined` while it is locked by another. */
  lockFile(path: string, mode: number): number | undefined;
}

/** Family, type and protocol of a socket, in numbers of the C library. */
export interface SocketDescription {
  readonly family: number;
  readonly type: number;
  readonly protocol: number;
  readonly isListening: boolean;
}

/** `umad_port`, raw. */
export interface UmadPortDescription {
  readonly device: string;
  readonly nodeGuid: bigint;
  readonly portCount: number;
  readonly port: number;
  readonly portGuid: bigint;
  readonly gidPrefix: bigint;
  readonly lid: number;
  readonly lmc: number;
  readonly smLid: number;
  readonly smSl: number;
  readonly state: number;
  readonly physState: number;
  readonly rate: number;
  readonly capabilityMask: number;
  readonly pkeys: readonly number[];
  readonly linkLayer: string;
}

/** libibumad, loaded. */
export interface UmadLibraryBinding {
  /** Every port the library knows. */
  listPorts(): readonly UmadPortDescription[];
  /** `umad_get_port`; `undefined` when there is no such port. */
  queryPort(device: string, port: number): UmadPortDescription | undefined;
  /** `umad_open_port`, and what reading needs. */
  openPort(device: string, port: number): UmadPortBinding;
  /** `umad_debug`; nothing happens where the library has none. */
  setDebugLevel(level: number): void;
}

/** One open umad port. Its methods throw with errno EBADF after `close`. */
export interface UmadPortBinding {
  /** `umad_register`: the agent's id on this port. */
  register(mgmtClass: number, version: number, rmppVersion: number, methods: readonly number[]): number;
  /** `umad_unregister`. */
  unregister(agentId: number): void;
  /** `message`: the 64-byte header of `ib_user_mad` (its address part filled in) and the MAD. Copied before the call returns. */
  send(agentId: number, message: Uint8Array, timeoutMs: number, retries: number): void;
  /**
   * Begins to read; once. `onMessages` gets batches, fresh buffers of records: header with `length` = bytes of the MAD, the MAD, padding
   * to 8. After `onFailure` nothing is read any more.
   */
  start(onMessages: (batch: Buffer) => void, onFailure: (error: BindingError) => void): void;
  /** Stops and resumes reading; what arrives meanwhile stays in the kernel. */
  setReading(isReading: boolean): void;
  /** Idempotent. Resolves once no thread is inside the library any more. No callback is called after the call. */
  close(): Promise<void>;
  /** After `start`: true if the loop watches the descriptor, false if a thread waits instead. */
  isPolled(): boolean;
}

/** libibverbs, loaded. */
export interface VerbsLibraryBinding {
  /** `ibv_get_device_list`. */
  devices(): readonly {
    readonly name: string;
    readonly nodeGuid: bigint;
    readonly nodeType: number;
    readonly transport: number;
  }[];
  /** `ibv_open_device`. */
  openDevice(name: string): VerbsContextBinding;
}

/** `ibv_port_attr`, raw. */
export interface VerbsPortDescription {
  readonly state: number;
  readonly physState: number;
  readonly maxMtu: number;
  readonly activeMtu: number;
  readonly gidTableLength: number;
  readonly pkeyTableLength: number;
  readonly lid: number;
  readonly lmc: number;
  readonly smLid: number;
  readonly smSl: number;
  readonly subnetTimeout: number;
  readonly activeWidth: number;
  readonly activeSpeed: number;
  readonly capabilityMask: number;
  readonly linkLayer: number;
}

/** One open verbs device. Its methods throw with errno EBADF after `close`. */
export interface VerbsContextBinding {
  /** `ibv_query_device`. */
  queryDevice(): {
    readonly nodeGuid: bigint;
    readonly sysImageGuid: bigint;
    readonly firmware: string;
    readonly vendorId: number;
    readonly vendorPartId: number;
    readonly portCount: number;
    readonly maxPkeys: number;
  };
  /** `ibv_query_port`. */
  queryPort(port: number): VerbsPortDescription;
  /** The whole table, 16 bytes an entry in wire order; entries not in use are zero. */
  gids(port: number): Buffer;
  /** The whole table, zero entries kept. */
  pkeys(port: number): readonly number[];
  /** `ibv_device_attr` and the context, the part that limits what can be created. */
  limits(): DeviceLimitsDescription;
  /** `ibv_alloc_pd`. */
  createProtectionDomain(): Promise<ProtectionDomainBinding>;
  /** `ibv_create_comp_channel`; its descriptor does not block. */
  createCompletionChannel(): Promise<CompletionChannelBinding>;
  /** `ibv_create_cq`. */
  createCompletionQueue(
    depth: number,
    channel: CompletionChannelBinding | undefined,
    vector: number,
  ): Promise<CompletionQueueBinding>;
  /**
   * Begins to read asynchronous events; once. `events` is flat: type, subject, type, subject … A subject is a port number, a QPN, or the
   * `id` of a queue. Each is acknowledged already.
   */
  start(onEvents: (events: readonly number[]) => void, onFailure: (error: BindingError) => void): void;
  /** Stops and resumes reading; what arrives meanwhile stays in the kernel. */
  setReading(isReading: boolean): void;
  /** Idempotent. */
  close(): Promise<void>;
}

/** What a device can have of each kind, raw. */
export interface DeviceLimitsDescription {
  readonly numCompVectors: number;
  readonly maxQp: number;
  readonly maxQpWr: number;
  readonly maxSge: number;
  readonly maxCq: number;
  readonly maxCqe: number;
  readonly maxMr: number;
  readonly maxMrSize: bigint;
  readonly maxPd: number;
  readonly maxSrq: number;
  readonly maxSrqWr: number;
  readonly maxSrqSge: number;
  readonly maxQpRdAtom: number;
  readonly maxMcastGrp: number;
  readonly atomicCap: number;
}

/**
 * A protection domain. An object of libibverbs goes when the last of its children has gone, whoever is closed first. All methods of all
 * objects here throw with errno EBADF after `close`, which is idempotent. What gives a promise runs on libuv's thread pool; the caller orders
 * such calls of one object.
 */
export interface ProtectionDomainBinding {
  /** Fresh pages, registered on the thread pool. */
  allocate(length: number, access: number, hugePages: boolean): Promise<MemoryRegionBinding>;
  /** The bytes of `view`, registered on the thread pool. They are held until the region is closed. */
  register(view: Uint8Array, access: number): Promise<MemoryRegionBinding>;
  /** `caps`: maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInline. */
  createQueuePair(
    type: number,
    sendCq: CompletionQueueBinding,
    recvCq: CompletionQueueBinding,
    srq: SharedReceiveQueueBinding | undefined,
    signalsAll: boolean,
    caps: Uint32Array,
  ): Promise<QueuePairBinding>;
  /** `ibv_create_srq`. */
  createSharedReceiveQueue(maxWr: number, maxSge: number): Promise<SharedReceiveQueueBinding>;
  /** `fields`: see `src/rdma/attribute-fields.ts`; `dgid`: 16 bytes. */
  createAddressHandle(fields: Uint32Array, dgid: Uint8Array): Promise<AddressHandleBinding>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Registered memory. */
export interface MemoryRegionBinding {
  /** The registered bytes. */
  memory(): Uint8Array;
  /** Its number for work requests, keys and address. */
  describe(): { readonly id: number; readonly lkey: number; readonly rkey: number; readonly address: bigint };
  /** `ibv_dereg_mr`, whatever else refers to it. */
  close(): Promise<void>;
}

/** `ibv_ah`. */
export interface AddressHandleBinding {
  /** What work requests name it by. */
  id(): number;
  /** Idempotent. */
  close(): Promise<void>;
}

/** One thread's hold on a completion channel. */
export interface CompletionChannelBinding {
  /** The descriptor, which belongs to the channel. */
  fd(): number;
  /** Takes up to `max` events: `id`s of their queues. Does not wait. */
  tryRead(max: number): readonly number[];
  /** Begins to watch; once. */
  start(onEvents: (...queueIds: number[]) => void, onFailure: (error: BindingError) => void): void;
  /** Stops and resumes watching; events wait in the channel. */
  setReading(isReading: boolean): void;
  /** A number for `adoptChannel`. */
  share(): number;
  /** A hold on a queue of this channel; `undefined` if it is closed. */
  queue(id: number): CompletionQueueBinding | undefined;
  /** Idempotent. The channel goes with the last hold on it. */
  close(): Promise<void>;
}

/** One thread's hold on a completion queue. */
export interface CompletionQueueBinding {
  /** Its number, and how many completions it holds. */
  describe(): { readonly id: number; readonly depth: number };
  /** `ibv_req_notify_cq`. */
  arm(solicitedOnly: boolean): void;
  /** The block that polls fill from now on, for `capacity` completions; their layout: `src/rdma/completion-records.ts`. */
  records(capacity: number): Uint8Array<ArrayBuffer>;
  /** Fills the block: twice the number of completions, plus one if some carry a token. */
  poll(): number;
  /** `arm`, and `poll` after it. */
  armAndPoll(solicitedOnly: boolean): number;
  /** `ibv_ack_cq_events`, at most as many as were read. What is left at the end is acknowledged by the addon. */
  acknowledge(count: number): void;
  /** `ibv_resize_cq`: the new depth. */
  resize(depth: number): Promise<number>;
  /** Idempotent. The queue goes with the last hold on it and the last queue pair. */
  close(): Promise<void>;
}

/** A queue pair. Records of requests: `src/rdma/work-records.ts`; a post gives their number, or -1 if there is no room for all of them. */
export interface QueuePairBinding {
  /** Numbers of the pair and its queues, and what the device gave. */
  describe(): {
    readonly qpn: number;
    readonly sendQueue: number;
    readonly receiveQueue: number;
    readonly maxSendWr: number;
    readonly maxRecvWr: number;
    readonly maxSendSge: number;
    readonly maxRecvSge: number;
    readonly maxInline: number;
  };
  /** `ibv_modify_qp`; fields as in `src/rdma/attribute-fields.ts`. */
  modify(mask: number, fields: Uint32Array, dgid: Uint8Array): Promise<void>;
  /** `ibv_query_qp`. */
  query(mask: number): Promise<{ readonly fields: Uint32Array; readonly dgid: Buffer }>;
  /** `ibv_post_send`. */
  postSend(records: Uint8Array, count: number, maxSegments: number): number;
  /** `ibv_post_recv`. */
  postReceive(records: Uint8Array, count: number, maxSegments: number): number;
  /** Translates requests to be posted again and again. */
  prepare(records: Uint8Array, count: number, maxSegments: number, isSend: boolean): PreparedWorkBinding;
  /** Requests that can still be posted. */
  credits(isSend: boolean): number;
  /** `ibv_attach_mcast`; 16 bytes of a GID. */
  attachMulticast(gid: Uint8Array, lid: number): Promise<void>;
  /** `ibv_detach_mcast`. */
  detachMulticast(gid: Uint8Array, lid: number): Promise<void>;
  /** Idempotent. Leaves its groups; destroys the pair. */
  close(): Promise<void>;
}

/** Requests that are translated already. */
export interface PreparedWorkBinding {
  /** Posts all of it: their number, or -1 if there is no room for all. */
  post(): number;
  /** Idempotent. */
  close(): void;
}

/** A shared receive queue. */
export interface SharedReceiveQueueBinding {
  /** Its number, and that of its ledger. */
  describe(): { readonly id: number; readonly queue: number };
  /** `ibv_post_srq_recv`. */
  postReceive(records: Uint8Array, count: number, maxSegments: number): number;
  /** Receives that can still be posted. */
  credits(): number;
  /** Arms the event that fewer than `limit` receives are left. */
  modify(limit: number): Promise<void>;
  /** `ibv_query_srq`. */
  query(): Promise<{ readonly maxWr: number; readonly maxSge: number; readonly limit: number }>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** An epoll set of channels. */
export interface ChannelGroupBinding {
  /** Watches a descriptor, which `key` stands for. */
  add(fd: number, key: number): void;
  /** Watches it no more; one that is closed has left by itself. */
  remove(fd: number): void;
  /** What is ready now, flat: key, epoll's events, key, … */
  poll(): readonly number[];
  /** Begins to watch; once. */
  start(onReady: () => void, onFailure: (error: BindingError) => void): void;
  /** Stops and resumes watching. */
  setReading(isReading: boolean): void;
  /** Idempotent. */
  close(): void;
}

/** One netlink socket. Only datagrams of the kernel are handed on. */
export interface NetlinkSocketBinding {
  /** One datagram to the kernel. */
  send(datagram: Uint8Array): void;
  /** `onOverflow`: the kernel had to drop datagrams (ENOBUFS). After `onFailure` nothing is read any more. */
  start(
    onDatagrams: (datagrams: readonly Buffer[]) => void,
    onOverflow: () => void,
    onFailure: (error: BindingError) => void,
  ): void;
  /** Stops and resumes reading; what arrives meanwhile stays in the kernel. */
  setReading(isReading: boolean): void;
  /** Idempotent. */
  close(): void;
}

/** Bounds of a front end. */
export interface FrontEndLimits {
  /** Absent: `auto`. */
  readonly io?: "auto" | "ring" | "epoll";
  readonly maxClients: number;
  readonly maxOpenRequests: number;
  readonly maxUnsentBytes: number;
  /** Of the reply table. */
  readonly tableBytes: number;
}

/** The front end; what it knows of the protocol is the header. Nothing happens after `close`, but that `listen…` throws EBADF. */
export interface FrontEndBinding {
  /** Binds a Unix socket and listens. */
  listenPath(path: string, backlog: number): void;
  /** IPv4; the port, or the one taken for 0. */
  listenTcp(host: string, port: number, backlog: number): number;
  /** A socket that somebody else has bound; it belongs to the front end unless this throws. */
  listenDescriptor(fd: number, backlog: number): void;
  /** Listens no more. */
  closeListeners(): void;
  /** The same, takes no more requests, and closes each client when it is answered. */
  finish(): void;
  /** `size` bytes of records: `src/front/reply-block.ts`. Gives the clients that do not read. */
  reply(block: Uint8Array, size: number): readonly number[] | undefined;
  /** Closes one client; what has not been sent is dropped. */
  closeClient(client: number): void;
  /** Keeps a reply to all requests of that opcode and body; `account` is what its hits count for. At most 4 tags. */
  put(request: Uint8Array, reply: Uint8Array, ttlMs: number, account: number, tags: Uint32Array): void;
  /** Once it has returned, nothing that was put with one of the tags before is sent. */
  invalidate(tags: Uint32Array): void;
  /** The same for everything. */
  clearTable(): void;
  /** Hits since the last call, flat. `accounts`: account, count, …; `clients`: 1 = Unix, pid, uid (-1 = none), count, idle ms, … */
  takeHits(): { readonly accounts: readonly number[]; readonly clients: readonly number[] };
  /** Connected now. */
  clientCount(): number;
  /** What was chosen when it was opened, and with `auto` why not a ring (errno, or 0). */
  io(): { readonly io: "ring" | "epoll"; readonly errno: number; readonly syscall: string };
  /** Idempotent. Ends the thread and closes every socket; `onEvents` is not called any more. */
  close(): void;
}
