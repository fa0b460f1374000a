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
