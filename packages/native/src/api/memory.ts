/** What may be done with registered memory (`enum ibv_access_flags`). `remote-write` and `remote-atomic` need `local-write` as well. */
export type AccessFlag = "local-write" | "remote-write" | "remote-read" | "remote-atomic" | "relaxed-ordering";

/** A piece of a memory region, as work requests name it. */
export interface MemorySegment {
  /** The region that it is a piece of. */
  readonly region: MemoryRegion;
  /** Bytes from the begin of the region; defaults to 0. */
  readonly offset?: number;
  /** Bytes; defaults to all that follow. */
  readonly length?: number;
}

/** A piece of a region with its bytes, lent to the device while a request uses it. */
export interface MemorySlice extends MemorySegment {
  /** Bytes from the begin of the region. */
  readonly offset: number;
  /** Bytes. */
  readonly length: number;
  /** A view of the memory itself, `length` bytes. */
  readonly bytes: Uint8Array;
  /** True while a request of `send()` or a receive ring uses it: its bytes MUST NOT be changed. */
  readonly isLent: boolean;
}

/**
 * Registered memory (`ibv_mr`). The bytes stay readable after `close`, but the device no longer reaches them.
 *
 * Requests posted by `postSend`, `postReceive` and prepared ones do not lend: keep the region open until they have completed.
 */
export interface MemoryRegion extends AsyncDisposable {
  /** A view of the memory itself, `length` bytes. */
  readonly bytes: Uint8Array;
  /** Bytes that are registered. */
  readonly length: number;
  /** Address in this process; what a peer is told together with `rkey`. */
  readonly address: bigint;
  /** L_Key, 32 bits: what requests of this side name it by; the library does. */
  readonly lkey: number;
  /** R_Key, 32 bits: what a peer names it by in RDMA and atomics. */
  readonly rkey: number;
  /** Throws `VERBENA_NATIVE_OPTION` for bounds beyond the region. Defaults: all of it. */
  slice(offset?: number, length?: number): MemorySlice;
  /** `ibv_dereg_mr`. Idempotent. Rejects with `VERBENA_NATIVE_LENT` while slices are lent. */
  close(): Promise<void>;
}

/** Options of {@link ProtectionDomain.allocate}. */
export interface AllocateOptions {
  /** Defaults to `["local-write"]`. */
  readonly access?: readonly AccessFlag[];
  /** Pages of 2 MiB, which MUST have been reserved (`sysctl vm.nr_hugepages`); defaults to false. */
  readonly hugePages?: boolean;
}

/** Options of {@link ProtectionDomain.register}. */
export interface RegisterOptions {
  /** Defaults to `["local-write"]`. */
  readonly access?: readonly AccessFlag[];
  /** Bytes from the begin of the buffer; defaults to 0. */
  readonly offset?: number;
  /** Bytes; defaults to all that follow. */
  readonly length?: number;
}
