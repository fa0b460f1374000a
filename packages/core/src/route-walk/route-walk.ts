import type { Guid, Lid } from "@verbena/ib";

/** One end of a link on a route. */
export interface RouteEnd {
  /** Base LID of the node's port; of a switch that of its port 0. */
  readonly lid: Lid;
  /** Number of the port the packet leaves or enters by. */
  readonly port: number;
  /** Kinds this library does not know are `unknown`. */
  readonly kind: "ca" | "switch" | "router" | "unknown";
  readonly nodeGuid: Guid;
  /** Of a switch that of its port 0. */
  readonly portGuid: Guid;
  /** NodeDescription. */
  readonly description: string;
}

/** One link of a route, in the direction of the packet. */
export interface RouteHop {
  readonly from: RouteEnd;
  readonly to: RouteEnd;
}

/** The way that packets of a path take, as the subnet administrator knows the forwarding tables and links. */
export interface RouteWalk {
  readonly slid: Lid;
  readonly dlid: Lid;
  /** Empty when both ends are the same port. Up to where it could be followed if `problem` says that it could not be followed to the end. */
  readonly hops: readonly RouteHop[];
  /** Why the route ends early: a table without an entry, a loop, or an administrator that does not tell. */
  readonly problem?: string;
}
