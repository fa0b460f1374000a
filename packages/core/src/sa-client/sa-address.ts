import { GSI_QKEY, PKey } from "@verbena/ib";
import type { MadAddress } from "@verbena/native";
import type { Port } from "../sdk/endpoint.js";

/** P_Key index for talking to the SA: the entry 0xffff, else 0x7fff, else index 0 (spec acm.md 4.10). */
export function saPkeyIndex(pkeys: readonly PKey[]): number {
  const full = pkeys.indexOf(PKey.DEFAULT);
  return full >= 0 ? full : Math.max(0, pkeys.indexOf(LIMITED_DEFAULT));
}

const LIMITED_DEFAULT = PKey.from(0x7fff);

const NO_PARTITION = PKey.from(0);

/** Where the SA of a port's subnet listens: QP1 at the SM's LID, on the SM's SL. */
export function saAddress(port: Port): MadAddress {
  return { lid: port.smLid, qpn: 1, qkey: GSI_QKEY, sl: port.smSl, pathBits: 0, pkeyIndex: saPkeyIndex(port.pkeys) };
}

/**
 * Whether a MAD has come from the SA of a port's subnet: from QP1 at the SM's LID, through the partition in which the SA is asked. Anybody on the
 * fabric can send what looks like the SA's word, and transaction ids are counted; a source LID and a partition are given by the hardware.
 */
export function isFromSa(port: Port, from: MadAddress): boolean {
  const { smLid, pkeys } = port;
  const asked = pkeys[saPkeyIndex(pkeys)];
  const used = pkeys[from.pkeyIndex ?? 0];
  if (from.lid !== smLid || from.qpn !== 1 || asked === undefined) return false;
  // Hardware takes nothing in by an entry without a P_Key (IBA 10.9.3): such an index is of a library that leaves it unset, as ibsim's does.
  return used === undefined || PKey.samePartition(used, NO_PARTITION) || PKey.samePartition(asked, used);
}
