import type { LinkRate } from "./link-speed.js";
import type { NodeKind, SourcePlace } from "./model.js";

/** `[1](guid) "S1"[3] w=2 # "desc" lid 5 lmc 0 4xEDR mtu 4096`. */
export interface PortStatement {
  readonly place: SourcePlace;
  readonly number: number;
  readonly guid?: bigint;
  readonly remoteId: string;
  readonly remotePort: number;
  readonly remotePlace: SourcePlace;
  /** `w=` and `s=`: masks that replace the defaults. */
  readonly widths?: number;
  readonly speeds?: number;
  /** The `4xEDR` of the comment. */
  readonly rate?: LinkRate;
  readonly lid?: number;
  readonly lmc?: number;
  readonly mtuBytes?: number;
}

/** `Switch 8 "S1" # "description" base port 0 lid 3 lmc 0`. */
export interface NodeStatement {
  readonly place: SourcePlace;
  readonly kind: NodeKind;
  readonly portCount: number;
  readonly id: string;
  readonly description?: string;
  /** Of port 0 of a switch. */
  readonly lid?: number;
  readonly lmc?: number;
  readonly mtuBytes?: number;
}
