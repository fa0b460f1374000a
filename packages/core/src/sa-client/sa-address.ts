import { GSI_QKEY, PKey } from "@verbena/ib";
import type { MadAddress } from "@verbena/native";
import type { Port } from "../sdk/endpoint.js";

/** P_Key index for talking to the SA: the entry 0xffff, else 0x7fff, else index 0 (spec acm.md 4.10). */
export function saPkeyIndex(pkeys: readonly PKey[]): number {
  const full = pkeys.indexOf(PKey.DEFAULT);
  return full >= 0 ? full : Math.max(0, pkeys.indexOf(LIMITED_DEFAULT));
}

const LIMITED_DEFAULT = PKey.from(0x7fff);

/** Where the SA of a port's subnet listens: QP1 at the SM's LID, on the SM's SL. */
export function saAddress(port: Port): MadAddress {
  return { lid: port.smLid, qpn: 1, qkey: GSI_QKEY, sl: port.smSl, pathBits: 0, pkeyIndex: saPkeyIndex(port.pkeys) };
}

/**
 * True when questions asked as `before` would be wrong as `after`: the port itself has other addresses or partitions. A change of
 * the SM alone is not one: the question stays right and goes to the new SM.
 */
export function isOtherPort(before: Port, after: Port): boolean {
  return (
    before.portGuid !== after.portGuid ||
    before.lid !== after.lid ||
    before.lmc !== after.lmc ||
    before.state !== after.state ||
    !sameList(before.gids, after.gids) ||
    !sameList(before.pkeys, after.pkeys)
  );
}

function sameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
