/** What a socket of the kernel's RDMA subsystem brings. */
export type RdmaNetlinkEvent =
  /** One datagram of the kernel: one netlink message or several, header in host order. */
  | { readonly type: "datagram"; readonly bytes: Buffer }
  /** The kernel had to drop datagrams, because more of them waited than the socket holds. */
  | { readonly type: "overrun" };

/**
 * A NETLINK_RDMA socket that listens to the group of the local service (number 3): the kernel asks here for path records and for the
 * GIDs behind IP addresses. Datagrams of other processes are never handed on.
 */
export interface RdmaNetlink extends AsyncDisposable {
  /** One reader. Listens from the opening on. A broken socket rejects with `VERBENA_NATIVE_RDMA_NETLINK`. */
  events(): AsyncIterableIterator<RdmaNetlinkEvent>;
  /** One datagram to the kernel alone. Throws `VERBENA_NATIVE_RDMA_NETLINK`, or `VERBENA_NATIVE_CLOSED`. */
  send(datagram: Uint8Array): void;
  /** Idempotent. Ends the iterator. */
  close(): Promise<void>;
}

/** How such a socket is had. */
export interface RdmaNetlinkOptions {
  /** A descriptor handed over by the service manager, bound already; it belongs to the socket from now on. */
  readonly fd?: number;
}
