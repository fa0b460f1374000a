import type { Mtu } from "@verbena/ib";
import { Rate } from "@verbena/ib";
import { NO_ROUTE } from "../fabric/forwarding-tables.js";
import type { FabricPort } from "../fabric/port.js";
import { MAX_HOPS } from "../fabric/route.js";

/** What a path can carry: the smallest MTU and rate along it. */
export interface PathLimits {
  readonly mtu: Mtu;
  readonly rate: Rate;
}

/**
 * Follows the forwarding tables from `source` to the LID of `destination` and takes the smallest of all ports on the way, both
 * ends included. `undefined`: the tables do not lead there. Loopback is limited by the port itself.
 */
export function pathLimits(source: FabricPort, destination: FabricPort, dlid: number): PathLimits | undefined {
  let mtu = source.mtuCap;
  let rate = source.rate;
  const pass = (port: FabricPort) => {
    if (port.mtuCap < mtu) mtu = port.mtuCap;
    const own = port.rate;
    if (own !== rate && Rate.compare(own, rate) < 0) rate = own;
  };
  let out: FabricPort | undefined = source.node.tables === undefined ? source : exit(source, dlid);
  if (source === destination) return { mtu, rate };
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    const entry: FabricPort | undefined = out?.neighbour;
    if (entry === undefined) return undefined;
    if (entry === destination) {
      pass(entry);
      return { mtu, rate };
    }
    if (entry.node.tables === undefined) return undefined;
    pass(entry);
    out = exit(entry, dlid);
    if (out === undefined) return undefined;
    pass(out);
    if (out === destination) return { mtu, rate };
  }
  return undefined;
}

function exit(port: FabricPort, dlid: number): FabricPort | undefined {
  const number = port.node.tables?.route(dlid) ?? NO_ROUTE;
  return number === NO_ROUTE ? undefined : port.node.port(number);
}
