import type { Gid, Guid, Lid, PKey } from "@verbena/ib";

/** Logical port state, IBA 14.2.5.6 PortInfo:PortState. Codes this library does not know arrive as `unknown`. */
export type PortState = "down" | "init" | "armed" | "active" | "active-defer" | "unknown";

/** What libibumad tells of one port (`umad_get_port`). All values in host form. */
export interface UmadPortInfo {
  readonly device: string;
  /** Node GUID of the channel adapter that owns the port. */
  readonly nodeGuid: Guid;
  /** Number of physical ports of that channel adapter. */
  readonly portCount: number;
  readonly port: number;
  readonly portGuid: Guid;
  /** Subnet prefix, the high 64 bits of every GID of the port. */
  readonly gidPrefix: bigint;
  readonly lid: Lid;
  readonly lmc: number;
  readonly smLid: Lid;
  readonly smSl: number;
  readonly state: PortState;
  readonly physState: number;
  /** Signalling rate in Gb/s, as libibumad rounds it. */
  readonly rateGbps: number;
  readonly capabilityMask: number;
  readonly pkeys: readonly PKey[];
  /** `InfiniBand`, `Ethernet`, or whatever a newer library says. */
  readonly linkLayer: string;
}

/** Where a MAD goes to or came from (the address part of `ib_user_mad`). */
export interface MadAddress {
  readonly lid: Lid;
  readonly qpn: number;
  /** Defaults to the well-known Q_Key 0x80010000 of QP1. */
  readonly qkey?: number;
  readonly sl?: number;
  readonly pathBits?: number;
  readonly pkeyIndex?: number;
  readonly grh?: {
    readonly gid: Gid;
    readonly gidIndex: number;
    readonly hopLimit: number;
    readonly trafficClass: number;
    readonly flowLabel: number;
  };
}

/** Arguments of `umad_register`. */
export interface UmadAgentOptions {
  readonly mgmtClass: number;
  readonly classVersion: number;
  /** 1 = RMPP is done below the API: whole tables are sent and received. 0 or absent = plain 256-byte MADs. */
  readonly rmppVersion?: 0 | 1;
  /** Request methods to receive unasked (none: only answers to own requests). */
  readonly methods?: readonly number[];
}

/** A message read from an agent. */
export interface UmadMessage {
  /** 0, or the errno with which the kernel returned a request of ours (110 = no answer after all tries). */
  readonly status: number;
  /** MAD bytes: 256, or more for a reassembled RMPP table; with a status other than 0 perhaps the header only. Owned by the receiver. */
  readonly mad: Buffer;
  readonly from: MadAddress;
}

/** Where a MAD goes and how long an answer is waited for. */
export interface UmadSendOptions {
  readonly to: MadAddress;
  /** Per try, milliseconds; 0 = no answer is expected. */
  readonly timeoutMs: number;
  /** Repeats after the first send. */
  readonly retries: number;
}

/** One registered agent on one port. */
export interface UmadAgent extends AsyncDisposable {
  readonly agentId: number;
  /**
   * Hands a MAD to the kernel; does not wait for an answer. The high half of the transaction id is replaced by the kernel.
   * MUST throw a coded error with errno when the kernel refuses it.
   */
  send(mad: Uint8Array, options: UmadSendOptions): void;
  /** Answers, returned requests and unasked requests. One reader; a second one is rejected with VERBENA_NATIVE_BUSY. */
  messages(): AsyncIterableIterator<UmadMessage>;
  /** Idempotent. Ends the iterator. */
  close(): Promise<void>;
}

/** An open umad port. Closing it closes its agents. */
export interface UmadPort extends AsyncDisposable {
  readonly device: string;
  readonly port: number;
  /** Throws a coded error with errno when the kernel refuses it (class or methods taken, too many agents). */
  registerAgent(options: UmadAgentOptions): UmadAgent;
  /** Idempotent. Closes the agents, then the port. */
  close(): Promise<void>;
}

/** Management datagrams through libibumad. */
export interface UmadService {
  /** Every port libibumad knows, in its order. Empty without hardware. */
  listPorts(): readonly UmadPortInfo[];
  /** Fresh state of one port. `undefined` when the device or port is gone. */
  queryPort(device: string, port: number): UmadPortInfo | undefined;
  /** Throws a coded error with errno: no such port, no permission. */
  openPort(device: string, port: number): UmadPort;
  /** Debug output of libibumad on standard error, 0 (off) to 2, for the whole process. */
  setDebugLevel(level: number): void;
}
