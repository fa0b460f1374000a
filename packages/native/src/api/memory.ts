/** What may be done with registered memory (`enum ibv_access_flags`). `remote-write` and `remote-atomic` need `local-write` as well. */
export type AccessFlag = "local-write" | "remote-write" | "remote-read" | "remote-atomic" | "relaxed-ordering";

/** A piece of a memory region, as work requests name it. */
export interface MemorySegment {
  readonly region: MemoryRegion;
  /** Bytes from the begin of the region; defaults to 0. */
  readonly offset?: number;
  /** Bytes; defaults to all that follow. */
  readonly length?: number;
}

/** A piece of a region with its bytes, lent to the device while a request uses it. */
export interface MemorySlice extends MemorySegment {
  readonly offset: number;
  readonly length: number;
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
  readonly bytes: Uint8Array;
  readonly length: number;
  /** Address in this process; what a peer is told together with `rkey`. */
  readonly address: bigint;
  readonly lkey: number;
  readonly rkey: number;
  /** Throws `VERBENA_NATIVE_OPTION` for bounds beyond the region. Defaults: all of it. */
  slice(offset?: number, length?: number): MemorySlice;
  /** Idempotent. Rejects with `VERBENA_NATIVE_LENT` while slices are lent. */
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
