import type { Gid, Guid, Lid, PKey } from "@verbena/ib";

/**
 * What the attach layer needs of a fabric: the HCAs that programs may sit on, a way to put packets on their wire and to get
 * those that arrive, and word of every change that a program's verbs or umad library would notice.
 *
 * Packets are raw and start at the local route header: LRH, [GRH], BTH, DETH, 256-byte MAD; no CRCs. Directed-route SMPs carry
 * the permissive LID 0xffff as DLID.
 */
export interface AttachHost {
  /**
   * The HCAs that `name` chooses, in the order of the topology file, empty if none: the HCA whose topology id is `name`, else the
   * one whose NodeDescription is, else all HCAs whose NodeDescription has `name` as its first word.
   */
  hcasNamed(name: string): readonly AttachedHca[];

  /** All HCAs; `hcas()[i].index === i`. */
  hcas(): readonly AttachedHca[];

  /**
   * Take over a packet that a program sends from a port of `hca`. Everything a real HCA and its driver do after the send
   * is the host's part: a directed-route SMP whose path ends here, a MAD for the port's own LID, MADs that the HCA's own agents
   * answer (SMA, PMA). Packets that cannot be delivered vanish, as on a wire. The host MAY call the receiver before this
   * returns and MUST NOT keep or change the buffer's content afterwards without copying it.
   */
  inject(hca: AttachedHca, portNumber: number, packet: Buffer): void;

  /**
   * Take over a packet of a queue pair of a program, of any transport service. It goes through the switches before this returns, unless a
   * fault holds it back; the receiver of its destination MAY be called before this returns. The buffer MUST NOT change any more.
   */
  carry(hca: AttachedHca, portNumber: number, packet: Buffer): void;

  /** A queue pair behind a port dropped a packet: for the counters of the port. */
  countViolation(hca: AttachedHca, portNumber: number, kind: KeyKind): void;

  /**
   * Name the function that gets every packet that arrives at a port of `hca` and is not consumed by the HCA's own agents.
   * Consumed are requests that the SMA and PMA answer; *not* consumed are responses (method bit 7, and TrapRepress), SMInfo
   * Get and Set, traps, and every class the HCA has no agent of its own for. One receiver for each HCA; a later call replaces it.
   */
  setReceiver(hca: AttachedHca, receiver: (portNumber: number, packet: Buffer) => void): void;

  /** A packet was given to the receiver, and no program on the port takes such packets: for traces. */
  unclaimed(hca: AttachedHca, portNumber: number, packet: Buffer): void;

  /**
   * Hear of changes, after the host's own data show them. `state`: something in the HCA's public properties is new. A
   * change that a program also gets as an asynchronous event is announced twice, `state` first.
   *
   * @returns a function that ends the subscription; calling it again does nothing.
   */
  onChange(listener: (hca: AttachedHca, change: HcaChange) => void): () => void;

  /** Set or clear the IsSM bit of a port's capability mask: a program has opened the port's issm file (one at a time may), or closed it. */
  setIsSm(hca: AttachedHca, portNumber: number, isOn: boolean): void;
}

/** What a violation is of: partition keys, or queue keys. */
export type KeyKind = "pkey" | "qkey";

/** One change at an HCA. */
export type HcaChange =
  | { readonly type: "state" }
  | { readonly type: "async-event"; readonly event: PortEventName; readonly portNumber: number };

/** Names of asynchronous events; `device-fatal` belongs to the HCA, its port number is 0. */
export type PortEventName =
  | "port-active"
  | "port-err"
  | "lid-change"
  | "pkey-change"
  | "gid-change"
  | "sm-change"
  | "client-reregister"
  | "device-fatal";

/** A channel adapter as programs see it. The properties may be getters: they are read afresh after every change. */
export interface AttachedHca {
  /** Position in `AttachHost.hcas()`; stays the same for the life of the fabric. */
  readonly index: number;
  /** Name in the topology file, for example `H-0002c90300000001` or `H1`. */
  readonly id: string;
  readonly nodeDescription: string;
  readonly nodeGuid: Guid;
  readonly sysImageGuid: Guid;
  /** IEEE vendor id, 24 bits. */
  readonly vendorId: number;
  readonly deviceId: number;
  /** Ports 1…n in order. */
  readonly ports: readonly AttachedPort[];
}

/** One port of an HCA, in host form. Numbers without a unit are codes of PortInfo. */
export interface AttachedPort {
  /** Counted from 1. */
  readonly number: number;
  readonly guid: Guid;
  /** Base LID, 0 before the subnet manager gave one. */
  readonly lid: Lid;
  readonly lmc: number;
  /** 0 while no subnet manager is known. */
  readonly smLid: Lid;
  readonly smSl: number;
  /** 1 down, 2 initialize, 3 armed, 4 active. */
  readonly state: number;
  /** 2 polling, 3 disabled, 5 link up. */
  readonly physState: number;
  /** MTU codes 1…5. */
  readonly mtuCap: number;
  readonly activeMtu: number;
  /** Active link width, one-hot: 1 = 1x, 2 = 4x, 4 = 8x, 8 = 12x, 16 = 2x. */
  readonly width: number;
  /** Active link speed as verbs counts it, one-hot: SDR 1, DDR 2, QDR 4, FDR10 8, FDR 16, EDR 32, HDR 64, NDR 128. */
  readonly speed: number;
  /** Link rate in Gb/s, rounded to what sysfs shows (2.5, 5, 10, 14, 25, 40, 56, 100 …). */
  readonly rate: number;
  /** PortInfo:CapabilityMask, with the IsSM bit (1 << 1) as it is now. */
  readonly capabilityMask: number;
  readonly subnetTimeout: number;
  /** PortInfo:P_KeyViolations and Q_KeyViolations, at most 65535. */
  readonly pkeyViolations: number;
  readonly qkeyViolations: number;
  /** GID table; entry 0 is the subnet prefix and the port GUID. */
  readonly gids: readonly Gid[];
  /** P_Key table; 0 marks a free entry. */
  readonly pkeys: readonly PKey[];
  readonly linkLayer: "infiniband";
}
