/**
 * Everything the addon exports, and the only place that declares it. C++ converts, calls and reports; policy, names of values and
 * coded errors are made in TypeScript. Each function throws a plain `Error` that fits {@link BindingError} when the call behind it fails.
 */
export interface NativeBinding {
  /** Loads libibumad, or a library that exports the same functions. */
  openUmad(path: string): UmadLibraryBinding;
  /** Loads libibverbs, or a library that exports the same functions. */
  openVerbs(path: string): VerbsLibraryBinding;
  /** Loads libfabricsim.so and names the simulated nodes (comma list) of this process. */
  attachFabric(library: string, dir: string, nodes: string): void;
  /** Opens a non-blocking netlink socket bound to a mask of multicast groups. */
  openNetlink(protocol: number, groups: number): NetlinkSocketBinding;
  /** Takes over an open netlink socket, which belongs to the new object unless this throws. */
  adoptNetlink(fd: number): NetlinkSocketBinding;
  /** SO_PEERCRED; `undefined` for a socket without them. */
  peerCredentials(fd: number): { readonly pid: number; readonly uid: number; readonly gid: number } | undefined;
  /** What kind of socket a descriptor is, in numbers of the C library; `undefined` if it is none. Marks it close-on-exec. */
  describeSocket(fd: number): SocketDescription | undefined;
  /** One datagram to a Unix socket; a path that starts with `@` is in the abstract name space. */
  sendDatagram(path: string, text: string): void;
  /** Opens, creates and locks a file: its descriptor, or `undefined` while it is locked by another. */
  lockFile(path: string, mode: number): number | undefined;
}

/** What a failed call leaves on the error that the addon throws. */
export interface BindingError extends Error {
  /** Positive; absent when a library could not be loaded. */
  readonly errno?: number;
  /** Name of the errno, such as `EACCES`. */
  readonly code?: string;
  readonly syscall?: string;
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
  /** Begins to read asynchronous events; once. `events` is flat: type, port number, type, port number … Each is acknowledged already. */
  start(onEvents: (events: readonly number[]) => void, onFailure: (error: BindingError) => void): void;
  /** Stops and resumes reading; what arrives meanwhile stays in the kernel. */
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
