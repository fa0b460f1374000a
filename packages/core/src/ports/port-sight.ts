import type { PortSight } from "./port-machine.js";
import type { PortReading } from "./port-source.js";

/** Compares a fresh reading with the one in use (absent: the port was down). */
export function sightOf(before: PortReading | undefined, after: PortReading | undefined): PortSight {
  if (after?.state !== "active" || !isInfiniBand(after.linkLayer)) return "inactive";
  if (before === undefined || isMoved(before, after)) return "moved";
  return before.smLid === after.smLid && before.smSl === after.smSl ? "same" : "sm-moved";
}

const INFINIBAND_NAMES: ReadonlySet<string> = new Set(["infiniband", "ib", "unspecified", ""]);

/**
 * Whether a port's link layer, as verbs or libibumad name it, is InfiniBand. Old kernels leave it unspecified there; ibsim's umad library
 * calls it `IB`.
 */
export function isInfiniBand(linkLayer: string): boolean {
  return INFINIBAND_NAMES.has(linkLayer.toLowerCase());
}

function isMoved(before: PortReading, after: PortReading): boolean {
  return (
    before.lid !== after.lid ||
    before.lmc !== after.lmc ||
    before.portGuid !== after.portGuid ||
    before.activeMtu !== after.activeMtu ||
    before.activeRate !== after.activeRate ||
    before.subnetTimeout !== after.subnetTimeout ||
    !isSameList(before.gids, after.gids) ||
    !isSameList(before.pkeys, after.pkeys)
  );
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
