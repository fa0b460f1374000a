import type { Diagnostic } from "@verbena/core";
import type { EndpointJson, GroupCheckJson, SaPortJson, StatusJson } from "@verbena/core/client";

/** Why something could not be done. */
export interface Problem {
  readonly reason: string;
  readonly hint?: string;
  /** Name of the errno, such as `EACCES`. */
  readonly errno?: string;
}

/** The addon or one library. */
export type LibrarySeen =
  | { readonly available: true; readonly path: string; readonly version?: string }
  | { readonly available: false; readonly reason: string; readonly hint: string };

/** What the native side is made of. */
export interface LibrariesSeen {
  readonly addon: LibrarySeen;
  readonly verbs: LibrarySeen;
  readonly umad: LibrarySeen;
}

/** One port as the library that knows it tells. */
export interface PortSeen {
  readonly device: string;
  /** From 1. */
  readonly port: number;
  /** `active`, `down`, `init`, `armed`, … */
  readonly state: string;
  /** `infiniband`, `ethernet`, … in lower case. */
  readonly linkLayer: string;
  readonly isInfiniBand: boolean;
  readonly lid: number;
  readonly smLid: number;
  readonly smSl: number;
  /** Absent where width and speed are unknown to us. */
  readonly rateGbps?: number;
  /** Port GID 0 as text. */
  readonly gid: string;
  /** The P_Key table with its zero entries, host form. */
  readonly pkeys: readonly number[];
}

/** One device. */
export interface DeviceSeen {
  readonly name: string;
  readonly via: "verbs" | "umad";
  readonly firmware?: string;
  /** Why libibverbs cannot open it; its ports are then read through libibumad. */
  readonly problem?: Problem;
  readonly ports: readonly PortSeen[];
}

/** One try to open a port for management datagrams. */
export interface UmadSeen {
  readonly device: string;
  readonly port: number;
  readonly problem?: Problem;
}

/** One question to a port's subnet administrator. */
export interface SaSeen {
  readonly device: string;
  readonly port: number;
  readonly outcome: "answered" | "silent" | "refused" | "problem";
  /** MAD status of an answer that is a refusal. */
  readonly status?: number;
  readonly tookMs: number;
  readonly problem?: Problem;
}

/** An IP address on an InfiniBand port. */
export interface AddressSeen {
  readonly address: string;
  readonly prefixLength: number;
  readonly interfaceName?: string;
  readonly gid: string;
  readonly pkey: number;
}

/** An IPoIB interface. */
export interface InterfaceSeen {
  readonly name: string;
  /** GID of the port that carries it, from its hardware address. */
  readonly gid: string;
  readonly pkey?: number;
  readonly isUp: boolean;
}

/** A device file, and whether this process may use it. */
export interface DeviceFileSeen {
  readonly path: string;
  readonly problem?: Problem;
}

/** Which RDMA classes the kernel offers. */
export interface KernelSeen {
  /** Devices in `/sys/class/infiniband`; absent when there is no such class. */
  readonly core?: readonly string[];
  readonly verbs: boolean;
  readonly umad: boolean;
  /** The kernel has the RDMA netlink family. */
  readonly netlink: boolean;
  /** Port ids (as a rule: process ids) of those who listen for the kernel's path queries. */
  readonly listeners: readonly number[];
}

/** A process: ourselves, or the daemon. */
export interface ProcessSeen {
  readonly pid: number;
  readonly command: string;
  readonly uid: number;
  /** CapEff of `/proc/PID/status`. */
  readonly capabilities: bigint;
  /** Soft limits; `unlimited` = no bound. Bytes, and a number of files. */
  readonly memlock: number | "unlimited";
  readonly openFiles: number | "unlimited";
}

/** What is behind the path of a Unix socket. */
export interface SocketSeen {
  readonly path: string;
  readonly state: "absent" | "listening" | "stale" | "denied" | "not-a-socket" | "problem";
  /** Permission bits, octal text. */
  readonly mode?: string;
  /** Who listens; absent when it cannot be seen. */
  readonly pid?: number;
  readonly command?: string;
  readonly reason?: string;
}

/** The name librdmacm looks for. */
export interface RendezvousSeen {
  readonly path: string;
  /** What it should lead to. */
  readonly wanted: string;
  /** Target of the symbolic link; absent when there is none. */
  readonly target?: string;
}

/** The daemon's own view, by its control socket. */
export interface DaemonSeen {
  readonly status: StatusJson;
  readonly endpoints: readonly EndpointJson[];
  readonly sa: readonly SaPortJson[];
}

/** What paths made of multicast groups would be worth, by the daemon's control socket. */
export interface MulticastSeen {
  /** The daemon's chain of route providers makes such paths (`route_prot acm`), whether or not it has made one yet. */
  readonly isInUse: boolean;
  /** Of some hosts it has found. */
  readonly checks: readonly GroupCheckJson[];
}

/** The configuration the daemon would start with. */
export interface ConfigSeen {
  /** Files that were asked for or are read by default; absent = not read. */
  readonly yaml?: string;
  readonly options?: FileSeen;
  readonly addresses?: FileSeen;
  readonly hosts?: FileSeen;
  readonly routeDump?: FileSeen;
  readonly diagnostics: readonly Diagnostic[];
  /** Names and addresses given to ports. */
  readonly names: readonly {
    readonly text: string;
    readonly device: string;
    readonly port: number;
    /** `default` = entry 0 of the port's table. */
    readonly pkey: number | "default";
    readonly where: string;
  }[];
}

/** A file, and whether it is there. */
export interface FileSeen {
  readonly path: string;
  readonly isThere: boolean;
}

/** Units of the service manager, by name: `active`, `inactive`, `failed`, … Empty where there is no systemd. */
export type UnitsSeen = Readonly<Record<string, string>>;

/**
 * What the checks look at. Each look is made once, however many checks ask for it, and may take as long as it likes: the checks have
 * the deadline. Rejections are reported as the check's failure.
 */
export interface Probe {
  /** The simulated node, when there is no hardware to look at. */
  readonly fabric: { readonly dir: string; readonly node: string } | undefined;
  config(): Promise<ConfigSeen>;
  libraries(): Promise<LibrariesSeen>;
  devices(): Promise<readonly DeviceSeen[]>;
  umad(): Promise<readonly UmadSeen[]>;
  sa(): Promise<readonly SaSeen[]>;
  addresses(): Promise<readonly AddressSeen[]>;
  interfaces(): Promise<readonly InterfaceSeen[]>;
  deviceFiles(): Promise<readonly DeviceFileSeen[]>;
  kernel(): Promise<KernelSeen>;
  /** The daemon where one can be reached and seen, else this process. */
  process(): Promise<ProcessSeen & { readonly isDaemon: boolean }>;
  clientSocket(): Promise<SocketSeen>;
  controlSocket(): Promise<SocketSeen>;
  /** `undefined` where the daemon's socket is not in a place librdmacm knows. */
  rendezvous(): Promise<RendezvousSeen | undefined>;
  daemon(): Promise<DaemonSeen | undefined>;
  /** `undefined` where no daemon answers, or it cannot tell. */
  multicast(): Promise<MulticastSeen | undefined>;
  units(): Promise<UnitsSeen>;
  /** Running processes of that name. */
  processesNamed(command: string): Promise<readonly number[]>;
}
