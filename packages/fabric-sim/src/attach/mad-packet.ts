/** What the demultiplexer must know of a packet that carries a MAD. */
export interface MadPacketHead {
  /** Destination queue pair, 0 or 1. */
  readonly qpn: number;
  readonly managementClass: number;
  readonly classVersion: number;
  readonly method: number;
  /** High 32 bits of the transaction id: the id of the agent that asked. */
  readonly tidHigh: number;
  readonly attributeModifier: number;
  /** OUI of vendor classes 0x30…0x4f. */
  readonly oui: number;
}

const LRH_SIZE = 8;
const GRH_SIZE = 40;
const BTH_SIZE = 12;
const DETH_SIZE = 8;
const MAD_SIZE = 256;
/** LRH:LNH, what follows the local route header (IBA 7.7.2). */
const LNH_IBA_LOCAL = 2;
const LNH_IBA_GLOBAL = 3;

/**
 * Reads the head of a packet LRH, [GRH], BTH, DETH, 256-byte MAD; `undefined` if it is none of that shape or goes to another queue
 * pair than 0 and 1.
 */
export function readMadPacketHead(packet: Buffer): MadPacketHead | undefined {
  if (packet.length < LRH_SIZE) return undefined;
  const lnh = packet.readUInt8(1) & 3;
  if (lnh !== LNH_IBA_LOCAL && lnh !== LNH_IBA_GLOBAL) return undefined;
  const bth = LRH_SIZE + (lnh === LNH_IBA_GLOBAL ? GRH_SIZE : 0);
  const mad = bth + BTH_SIZE + DETH_SIZE;
  if (packet.length !== mad + MAD_SIZE) return undefined;
  const qpn = packet.readUInt32BE(bth + 4) & 0xff_ffff;
  if (qpn > 1) return undefined;
  return {
    qpn,
    managementClass: packet.readUInt8(mad + 1),
    classVersion: packet.readUInt8(mad + 2),
    method: packet.readUInt8(mad + 3),
    tidHigh: packet.readUInt32BE(mad + 8),
    attributeModifier: packet.readUInt32BE(mad + 20),
    oui: packet.readUIntBE(mad + 37, 3),
  };
}
