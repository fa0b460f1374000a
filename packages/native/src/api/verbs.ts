import type { Gid, Guid, Lid, Mtu, PKey } from "@verbena/ib";
import type { PortState } from "./umad.js";

/** One entry of `ibv_get_device_list`. */
export interface VerbsDeviceInfo {
  /** Name by which it is opened (`mlx5_0`). */
  readonly name: string;
  /** Node GUID, host form. */
  readonly nodeGuid: Guid;
  /** `ca`, `switch`, `router`, `rnic`, …; unknown numbers as `unknown(N)`. */
  readonly nodeType: string;
  /** `ib`, `iwarp`, …; unknown numbers as `unknown(N)`. */
  readonly transport: string;
}

/** `ibv_query_device`, the part we use. */
export interface VerbsDeviceAttributes {
  /** Node GUID, host form. */
  readonly nodeGuid: Guid;
  /** GUID that all parts of one machine's hardware share, host form. */
  readonly sysImageGuid: Guid;
  /** Version of the firmware, as the vendor writes it. */
  readonly firmware: string;
  /** Vendor, 24 bits (IEEE OUI). */
  readonly vendorId: number;
  /** The vendor's number for the model. */
  readonly vendorPartId: number;
  /** Physical ports, numbered from 1. */
  readonly portCount: number;
  /** Partitions of a port, at most. */
  readonly maxPkeys: number;
}

/** `ibv_query_port`. */
export interface VerbsPortAttributes {
  /** Its number, counted from 1. */
  readonly port: number;
  /** Logical state (IBA 14.2.5.6 PortInfo:PortState). */
  readonly state: PortState;
  /** Code of PortInfo:PortPhysicalState: 2 polling, 3 disabled, 5 link up. */
  readonly physState: number;
  /** Code of the largest MTU that the port can have: 1 = 256 … 5 = 4096 bytes. */
  readonly maxMtu: Mtu;
  /** Code of the MTU in use. */
  readonly activeMtu: Mtu;
  /** Entries of the GID table, empty ones included. */
  readonly gidTableLength: number;
  /** Entries of the P_Key table, empty ones included. */
  readonly pkeyTableLength: number;
  /** Base LID, host form; 0 before a subnet manager gave one, and on Ethernet. */
  readonly lid: Lid;
  /** The port has 2^lmc LIDs from its base LID on. */
  readonly lmc: number;
  /** LID of the subnet manager, host form; 0 if none is known. */
  readonly smLid: Lid;
  /** Service level to the subnet manager, 0 … 15. */
  readonly smSl: number;
  /** Exponent: 4.096 µs × 2^n. */
  readonly subnetTimeout: number;
  /** Width code: 1 = 1x, 2 = 4x, 4 = 8x, 8 = 12x, 16 = 2x. */
  readonly activeWidth: number;
  /** Speed code: 1 SDR … 32 EDR, 64 HDR, 128 NDR, 256 XDR. */
  readonly activeSpeed: number;
  /** PortInfo:CapabilityMask, host form. */
  readonly capabilityMask: number;
  /** `infiniband`, `ethernet`, `unspecified` or `unknown(N)`. */
  readonly linkLayer: string;
}

/** Asynchronous device events (`ibv_get_async_event`). Unknown kinds arrive as data. The library acknowledges them. */
export type DeviceEvent =
  | {
      readonly type:
        | "port-active"
        | "port-err"
        | "lid-change"
        | "pkey-change"
        | "gid-change"
        | "sm-change"
        | "client-reregister";
      readonly port: number;
    }
  | {
      readonly type:
        | "qp-fatal"
        | "qp-req-err"
        | "qp-access-err"
        | "comm-est"
        | "sq-drained"
        | "path-mig"
        | "path-mig-err"
        | "qp-last-wqe-reached";
      readonly qpn: number;
    }
  /** `cq` and `srq` are the `id` of the queue. */
  | { readonly type: "cq-err"; readonly cq: number }
  | { readonly type: "srq-err" | "srq-limit-reached"; readonly srq: number }
  | { readonly type: "device-fatal" }
  | { readonly type: "unknown"; readonly event: number };

/** An open device context. */
export interface VerbsContext extends AsyncDisposable {
  /** The device that was opened. */
  readonly device: VerbsDeviceInfo;
  /** `ibv_query_device`. Throws `VERBENA_NATIVE_QUERY` with errno. */
  queryDevice(): VerbsDeviceAttributes;
  /** `ibv_query_port`. Throws `VERBENA_NATIVE_QUERY` with errno: EINVAL, no such port. */
  queryPort(port: number): VerbsPortAttributes;
  /** Valid GIDs in table order, zero entries left out (`ibv_query_gid`). Throws `VERBENA_NATIVE_QUERY` with errno. */
  gids(port: number): readonly Gid[];
  /**
   * The P_Key table as it is, host form, zero entries kept (their index matters; `ibv_query_pkey`). Throws `VERBENA_NATIVE_QUERY` with errno.
   */
  pkeys(port: number): readonly PKey[];
  /**
   * Asynchronous events as they come (`ibv_get_async_event`). One reader; a second one is rejected with `VERBENA_NATIVE_BUSY`. Ends on close;
   * rejects with `VERBENA_NATIVE_RECEIVE` and errno if they cannot be read any more.
   */
  events(): AsyncIterableIterator<DeviceEvent>;
  /** `ibv_close_device`. Idempotent. Ends the events. */
  close(): Promise<void>;
}

/** Device discovery through libibverbs. */
export interface VerbsService {
  /** The devices libibverbs lists, in its order (`ibv_get_device_list`). Empty without hardware. Throws `VERBENA_NATIVE_QUERY` with errno. */
  devices(): readonly VerbsDeviceInfo[];
  /** `ibv_open_device`. Throws `VERBENA_NATIVE_OPEN` with errno: ENODEV (no such device), EACCES (no permission). */
  open(device: string): VerbsContext;
}
