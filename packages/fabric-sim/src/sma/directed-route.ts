import type { DropReason } from "../fabric/drop-reason.js";
import type { FabricPort } from "../fabric/port.js";
import type { Hop } from "../fabric/route.js";

// A directed-route SMP carries its way with it: ports out in the initial path, ports in entered into the return path as it goes,
// and a pointer that tells how far it is (IBA 14.2.2). These are bytes of the MAD.
const STATUS = 4;
const HOP_POINTER = 6;
const HOP_COUNT = 7;
const DR_SLID = 32;
const DR_DLID = 34;
const INITIAL_PATH = 128;
const RETURN_PATH = 192;
const DIRECTION_BIT = 0x80;
const PERMISSIVE = 0xffff;
const MAX_HOPS = 63;

/** Where a directed-route SMP came out: at the end of its way there, or back where it began. */
export interface DirectedArrival {
  readonly port: FabricPort;
  readonly isReturning: boolean;
}

/** Where a directed-route SMP was dropped: the last port it came to, or could not leave. */
export interface DirectedDrop {
  readonly port: FabricPort;
  readonly dropped: DropReason;
}

/** Called at each link, while the MAD is as it travels over that link. */
export type OnDirectedHop = (hop: Hop) => void;

/**
 * Sends a directed-route SMP from `start` along its way, hop by hop, and changes the MAD as the nodes do. It may be dropped on the way,
 * because a link is down, a host would have to forward, or the header makes no sense. Mixed routes, with a LID-routed part, are not
 * supported by the fabric and dropped.
 */
export function walkDirectedRoute(
  start: FabricPort,
  mad: Buffer,
  onHop?: OnDirectedHop,
): DirectedArrival | DirectedDrop {
  const isReturning = (mad.readUInt8(STATUS) & DIRECTION_BIT) !== 0;
  const count = mad.readUInt8(HOP_COUNT);
  const malformed: DirectedDrop = { port: start, dropped: "malformed" };
  if (count > MAX_HOPS) return malformed;
  if (mad.readUInt16BE(DR_SLID) !== PERMISSIVE || mad.readUInt16BE(DR_DLID) !== PERMISSIVE) return malformed;
  if (mad.readUInt8(HOP_POINTER) !== (isReturning ? count + 1 : 0)) return malformed;
  return isReturning ? walkBack(start, mad, count, onHop) : walkOut(start, mad, count, onHop);
}

/** Turns a request that has arrived into its response, ready for the way back. */
export function turnAround(mad: Buffer): void {
  mad.writeUInt8(mad.readUInt8(STATUS) | DIRECTION_BIT, STATUS);
}

function walkOut(start: FabricPort, mad: Buffer, count: number, onHop?: OnDirectedHop): DirectedArrival | DirectedDrop {
  let at = start;
  for (let pointer = 1; pointer <= count; pointer++) {
    const exit = exitOf(at, mad.readUInt8(INITIAL_PATH + pointer), pointer === 1 ? start : undefined);
    const next = exit?.neighbour;
    if (exit === undefined || next === undefined) return stuck(at, exit);
    mad.writeUInt8(pointer, HOP_POINTER);
    onHop?.({ from: exit, to: next });
    mad.writeUInt8(next.number, RETURN_PATH + pointer);
    at = next;
  }
  mad.writeUInt8(count + 1, HOP_POINTER);
  return { port: at, isReturning: false };
}

function walkBack(
  start: FabricPort,
  mad: Buffer,
  count: number,
  onHop?: OnDirectedHop,
): DirectedArrival | DirectedDrop {
  let at = start;
  for (let pointer = count; pointer >= 1; pointer--) {
    const exit = exitOf(at, mad.readUInt8(RETURN_PATH + pointer), pointer === count ? start : undefined);
    const next = exit?.neighbour;
    if (exit === undefined || next === undefined) return stuck(at, exit);
    mad.writeUInt8(pointer, HOP_POINTER);
    onHop?.({ from: exit, to: next });
    at = next;
  }
  mad.writeUInt8(0, HOP_POINTER);
  return { port: at, isReturning: true };
}

function stuck(at: FabricPort, exit: FabricPort | undefined): DirectedDrop {
  return exit === undefined ? { port: at, dropped: "wrong-port" } : { port: exit, dropped: "link-down" };
}

/** Only switches forward; a host sends from the port the packet was given to, which must be the one its path names. */
function exitOf(at: FabricPort, number: number, origin: FabricPort | undefined): FabricPort | undefined {
  if (at.node.kind === "switch") return number === 0 ? undefined : at.node.port(number);
  return origin === at && number === at.number ? at : undefined;
}
