import type { Gid, Guid, Lid, Mtu, PKey } from "@verbena/ib";
import type { PortState } from "./umad.js";

/** One entry of `ibv_get_device_list`. */
export interface VerbsDeviceInfo {
  readonly name: string;
  readonly nodeGuid: Guid;
  /** `ca`, `switch`, `router`, `rnic`, …; unknown numbers as `unknown(N)`. */
  readonly nodeType: string;
  /** `ib`, `iwarp`, …; unknown numbers as `unknown(N)`. */
  readonly transport: string;
}

/** `ibv_query_device`, the part we use. */
export interface VerbsDeviceAttributes {
  readonly nodeGuid: Guid;
  readonly sysImageGuid: Guid;
  readonly firmware: string;
  readonly vendorId: number;
  readonly vendorPartId: number;
  readonly portCount: number;
  readonly maxPkeys: number;
}

/** `ibv_query_port`. */
export interface VerbsPortAttributes {
  readonly port: number;
  readonly state: PortState;
  readonly physState: number;
  readonly maxMtu: Mtu;
  readonly activeMtu: Mtu;
  readonly gidTableLength: number;
  readonly pkeyTableLength: number;
  readonly lid: Lid;
  readonly lmc: number;
  readonly smLid: Lid;
  readonly smSl: number;
  /** Exponent: 4.096 µs × 2^n. */
  readonly subnetTimeout: number;
  /** Width code: 1 = 1x, 2 = 4x, 4 = 8x, 8 = 12x, 16 = 2x. */
  readonly activeWidth: number;
  /** Speed code: 1 SDR … 32 EDR, 64 HDR, 128 NDR, 256 XDR. */
  readonly activeSpeed: number;
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
  readonly device: VerbsDeviceInfo;
  /** `ibv_query_device`; throws a coded error with errno. */
  queryDevice(): VerbsDeviceAttributes;
  /** `ibv_query_port`; throws a coded error with errno. */
  queryPort(port: number): VerbsPortAttributes;
  /** Valid GIDs in table order, zero entries left out. */
  gids(port: number): readonly Gid[];
  /** The P_Key table as it is, zero entries kept (their index matters). */
  pkeys(port: number): readonly PKey[];
  /** One reader; a second one is rejected with VERBENA_NATIVE_BUSY. Ends on close. */
  events(): AsyncIterableIterator<DeviceEvent>;
  /** Idempotent. Ends the events. */
  close(): Promise<void>;
}

/** Device discovery through libibverbs. */
export interface VerbsService {
  /** The devices libibverbs lists, in its order. Empty without hardware. */
  devices(): readonly VerbsDeviceInfo[];
  /** Throws a coded error with errno: no such device, no permission. */
  open(device: string): VerbsContext;
}
