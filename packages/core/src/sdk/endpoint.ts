import type { Gid, Guid, IpAddress, Lid, Mtu, PKey, Rate } from "@verbena/ib";
import type { PortState } from "@verbena/native";

/** A snapshot of one local port. A change makes a new snapshot with a higher `generation`; old ones stay as they were. */
export interface Port {
  readonly device: string;
  readonly nodeGuid: Guid;
  readonly portCount: number;
  readonly port: number;
  readonly portGuid: Guid;
  readonly state: PortState;
  readonly lid: Lid;
  readonly lmc: number;
  readonly smLid: Lid;
  readonly smSl: number;
  readonly subnetTimeout: number;
  readonly activeMtu: Mtu;
  readonly activeRate: Rate;
  /** Index 0 first; never empty on an active port. */
  readonly gids: readonly Gid[];
  /** The table as it is: an index here is a P_Key index. */
  readonly pkeys: readonly PKey[];
  readonly linkLayer: string;
  /** Grows with every change of the port, the SM or the tables. */
  readonly generation: number;
}

/** A name or address that belongs to an endpoint of this host. */
export type LocalAddress =
  | { readonly kind: "name"; readonly name: string; readonly text: string; readonly origin: "file" }
  | {
      readonly kind: "ip";
      readonly address: IpAddress;
      /** As typed in the file, or with the prefix length when found at start (client protocol, endpoint query). */
      readonly text: string;
      readonly origin: "file" | "system";
    };

/** A local endpoint: <device, port, P_Key>. */
export interface Endpoint {
  /** Unique in this process, stable while the endpoint lives: `mlx5_0/1/0xffff`. */
  readonly key: string;
  readonly port: Port;
  readonly pkey: PKey;
  readonly pkeyIndex: number;
  readonly addresses: readonly LocalAddress[];
}
