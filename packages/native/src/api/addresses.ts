import type { Gid, PKey } from "@verbena/ib";

/** An IP address that sits on an InfiniBand port of this host. */
export interface HostAddress {
  /** Canonical text, without prefix length (`192.0.2.1`, `2001:db8::1`). */
  readonly address: string;
  readonly prefixLength: number;
  /** IPoIB interface (`ib0`), where there is one. */
  readonly interfaceName?: string;
  /** GID of the port that carries it (bytes 4–19 of the IPoIB link-layer address). */
  readonly gid: Gid;
  readonly pkey: PKey;
}

/** `synced` follows the last `added` of the first listing; `reset` means: forget everything, a new listing follows. */
export type AddressEvent =
  | { readonly type: "added"; readonly address: HostAddress }
  | { readonly type: "removed"; readonly address: HostAddress }
  | { readonly type: "reset" }
  | { readonly type: "synced" };

/** Which IPs sit on which port, and how that changes. Implementations: rtnetlink, the simulator's control socket. */
export interface AddressSource extends AsyncDisposable {
  /** One reader. Never ends by itself but on close; a lost source reports `reset` and lists again. */
  events(): AsyncIterableIterator<AddressEvent>;
  /** Idempotent. Ends the iterator. */
  close(): Promise<void>;
}
