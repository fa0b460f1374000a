import { BTH_SIZE, BthOpcode, DETH_SIZE, GRH_SIZE, LRH_SIZE, MAD_SIZE } from "@verbena/ib";

const LNH_BTH = 2;
const LNH_GRH = 3;
const BASE_VERSION = 1;

/** The MAD in a packet, a view, without decoding the rest: an unreliable datagram whose 256 bytes begin with the base version. */
export function madOf(packet: Buffer): Buffer | undefined {
  const next = (packet[1] ?? 0) & 3;
  if (next !== LNH_BTH && next !== LNH_GRH) return undefined;
  const bthAt = LRH_SIZE + (next === LNH_GRH ? GRH_SIZE : 0);
  const madAt = bthAt + BTH_SIZE + DETH_SIZE;
  if (packet.length !== madAt + MAD_SIZE || packet[bthAt] !== BthOpcode.UD_SEND_ONLY) return undefined;
  return packet[madAt] === BASE_VERSION ? packet.subarray(madAt) : undefined;
}
