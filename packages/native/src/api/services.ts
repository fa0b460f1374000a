import type { AddressSource } from "./addresses.js";
import type { FrontEnd, FrontEndOptions } from "./front-end.js";
import type { ProcessService } from "./process.js";
import type { RdmaNetlink, RdmaNetlinkOptions } from "./rdma-netlink.js";
import type { KernelRdsService } from "./rds.js";
import type { TcpService } from "./tcp.js";
import type { UmadService } from "./umad.js";
import type { VerbsService } from "./verbs.js";

/** Whether one library could be loaded, and what to do if not. */
export type LibraryAvailability =
  | { readonly available: true; readonly path: string }
  | { readonly available: false; readonly reason: string; readonly hint: string };

/** What of the native side is there. */
export interface Availability {
  readonly addon: LibraryAvailability;
  readonly verbs: LibraryAvailability;
  readonly umad: LibraryAvailability;
}

/** Explicit library paths; they win over environment and defaults. */
export interface NativeOptions {
  readonly libibverbs?: string;
  readonly libibumad?: string;
  readonly librdmacm?: string;
  /** Join a simulated fabric instead of the system's libraries: loads libfabricsim.so and attaches to `dir` as `node`. */
  readonly fabric?: { readonly dir: string; readonly node: string; readonly library: string };
}

/** Everything native, behind one object: what the core's container hands to providers by token. */
export interface NativeServices extends AsyncDisposable {
  /** Tries the libraries; never throws. */
  availability(): Availability;
  readonly umad: UmadService;
  readonly verbs: VerbsService;
  readonly process: ProcessService;
  /** RDS sockets of the kernel, where its module is loaded. */
  readonly kernelRds: KernelRdsService;
  /** TCP connections that tell what the peer has acknowledged. */
  readonly tcp: TcpService;
  /** rtnetlink, or the simulator's control socket when a fabric is joined. */
  openAddressSource(): AddressSource;
  /**
   * Joins the group in which this host's kernel asks its local service, also when a fabric is joined: whether to is the caller's decision.
   * Throws `VERBENA_NATIVE_RDMA_NETLINK`: without CAP_NET_ADMIN (EPERM) or RDMA in the kernel (EPROTONOSUPPORT).
   */
  openRdmaNetlink(options?: RdmaNetlinkOptions): RdmaNetlink;
  /**
   * Starts the socket side of a server of the client protocol. Absent where it is not offered: a server in TypeScript does the same. Throws
   * `VERBENA_NATIVE_SYSTEM`.
   */
  openFrontEnd?(options: FrontEndOptions): FrontEnd;
  /** Idempotent. Closes everything that was opened through this object. */
  close(): Promise<void>;
}
