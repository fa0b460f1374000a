import { BthOpcode, encodeIbPacket, GSI_QKEY, Lid, PKey } from "@verbena/ib";

interface Lids {
  readonly slid: Lid;
  readonly dlid: Lid;
}

/** A MAD from queue pair 0 to queue pair 0, on virtual lane 15. */
export function smpPacket(mad: Buffer, lids: Lids = { slid: Lid.PERMISSIVE, dlid: Lid.PERMISSIVE }): Buffer {
  return wrap(mad, { lids, vl: 15, qpn: 0, qkey: 0, pkey: PKey.DEFAULT });
}

/** A MAD from queue pair 1 to queue pair 1. */
export function gsiPacket(mad: Buffer, lids: Lids, pkey: PKey = PKey.DEFAULT): Buffer {
  return wrap(mad, { lids, vl: 0, qpn: 1, qkey: GSI_QKEY, pkey });
}

function wrap(
  payload: Buffer,
  { lids, vl, qpn, qkey, pkey }: { lids: Lids; vl: number; qpn: number; qkey: number; pkey: PKey },
): Buffer {
  return encodeIbPacket({
    lrh: { vl, sl: 0, ...lids },
    bth: {
      opcode: BthOpcode.UD_SEND_ONLY,
      solicited: false,
      migration: false,
      pkey,
      destQpn: qpn,
      ackRequest: false,
      psn: 0,
    },
    deth: { qkey, srcQpn: qpn },
    payload,
  });
}
