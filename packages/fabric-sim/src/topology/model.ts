import type { Guid, Mtu, PKey } from "@verbena/ib";

/** Where something stands in a topology file. `line` and `column` count from 1. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What a node is. A host channel adapter is a `ca`. */
export type NodeKind = "ca" | "switch" | "router";

/** One end of a link: a node id of the topology and a port number. */
export interface LinkEnd {
  readonly node: string;
  readonly port: number;
}

/** A port as the topology file describes it. */
export interface TopologyPort {
  /** 0 is the management port of a switch; external ports count from 1. */
  readonly number: number;
  readonly guid: Guid;
  /** The LID that the file names (`lid 5`), which the subnet manager keeps if it can. Absent: it chooses. */
  readonly lid?: number;
  /** LID mask control, 0 to 7: the port answers to 2^lmc LIDs. */
  readonly lmc: number;
  /** Largest MTU of the port, as the MTU code (4 = 2048 bytes). */
  readonly mtu: Mtu;
  /** Enabled link widths, a mask of the PortInfo codes (1 = 1x, 2 = 4x, 4 = 8x, 8 = 12x, 16 = 2x). */
  readonly widths: number;
  /** Enabled link speeds, a mask of the codes 1 SDR, 2 DDR, 4 QDR, 8 FDR10, 16 FDR, 32 EDR, 64 HDR, 128 NDR, 256 XDR. */
  readonly speeds: number;
  /** The other end of the cable, if one is plugged in. */
  readonly remote?: LinkEnd;
}

/** A node as the topology file describes it. */
export interface TopologyNode {
  /** The quoted name after the port count; unique in the file. */
  readonly id: string;
  readonly kind: NodeKind;
  /** NodeDescription: the quoted text of the comment, else the id. At most 64 bytes of UTF-8 count. */
  readonly description: string;
  readonly nodeGuid: Guid;
  readonly systemImageGuid: Guid;
  readonly vendorId: number;
  readonly deviceId: number;
  /** Number of external ports. */
  readonly portCount: number;
  /** By number: a switch begins with port 0, other nodes with port 1. */
  readonly ports: readonly TopologyPort[];
  /** P_Key table of every port of the node. */
  readonly pkeys: readonly PKey[];
}

/** A whole fabric as a file, or a generator, describes it. Node order is file order. */
export interface Topology {
  readonly nodes: readonly TopologyNode[];
}

/** The port of that number, or `undefined`. */
export function topologyPort(node: TopologyNode, number: number): TopologyPort | undefined {
  return node.ports[node.kind === "switch" ? number : number - 1];
}
