import type { Lid } from "@verbena/ib";
import { BthOpcode, decodeIbPacket, encodeIbPacket, GSI_QKEY, type IbPacket, PKey, VerbenaError } from "@verbena/ib";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";

/** A general services MAD that arrived at a port. */
export interface GsiMad {
  readonly port: FabricPort;
  /** Who sent it, and may be answered. */
  readonly remoteLid: Lid;
  readonly remoteQpn: number;
  readonly pkey: PKey;
  readonly sl: number;
  /** 256 bytes. */
  readonly mad: Buffer;
  readonly packet: IbPacket;
}

/** Where a general services MAD goes. */
export interface GsiAddress {
  readonly lid: Lid;
  readonly qpn: number;
  readonly pkey: PKey;
  readonly sl: number;
}

/** Sends MADs of agents that live in the fabric process. */
export class Gsi {
  constructor(private readonly fabric: Fabric) {}

  /** Sends a MAD back to where another came from. */
  reply(to: GsiMad, mad: Buffer): void {
    const { port, remoteLid: lid, remoteQpn: qpn, pkey, sl } = to;
    this.send(port, to.packet.lrh.dlid, { lid, qpn, pkey, sl }, mad);
  }

  /** Sends a MAD from a port, by one of its LIDs. */
  send(port: FabricPort, slid: Lid, to: GsiAddress, mad: Buffer): void {
    const packet = encodeIbPacket({
      lrh: { vl: 0, sl: to.sl, dlid: to.lid, slid },
      bth: {
        opcode: BthOpcode.UD_SEND_ONLY,
        solicited: false,
        migration: true,
        pkey: to.pkey,
        destQpn: to.qpn,
        ackRequest: false,
        psn: 0,
      },
      deth: { qkey: GSI_QKEY, srcQpn: 1 },
      payload: mad,
    });
    this.fabric.send(port, packet);
  }
}

/** Decodes a packet; `undefined` for one that no port would take. */
export function decodePacket(packet: Buffer): IbPacket | undefined {
  try {
    return decodeIbPacket(packet);
  } catch (error) {
    if (VerbenaError.is(error)) return undefined;
    throw error;
  }
}

/** True if a packet with this P_Key may enter the port (IBA 10.9.3). */
export function admitsPkey(port: FabricPort, pkey: PKey): boolean {
  return port.pkeys.some((one) => PKey.canTalk(one, pkey));
}
