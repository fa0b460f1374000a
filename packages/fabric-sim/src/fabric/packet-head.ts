import { Lid, PKey } from "@verbena/ib";

const MANAGEMENT_LANE = 15;
const LRH_SIZE = 8;
const GRH_SIZE = 40;
const LNH_IBA_GLOBAL = 3;

/** LRH bytes 2 and 3 (IBA 7.7): all a switch looks at, so the packet is not decoded on its way. */
export function destinationLid(packet: Buffer): Lid | undefined {
  return packet.length < LRH_SIZE ? undefined : Lid.from(packet.readUInt16BE(2));
}

/** Subnet management goes on virtual lane 15 and passes ports that are not active (IBA 7.2.7.4). */
export function isManagement(packet: Buffer): boolean {
  return packet.length > 0 && packet.readUInt8(0) >>> 4 === MANAGEMENT_LANE;
}

/** Bytes in front of the base transport header. */
function transportAt(packet: Buffer): number {
  const hasGrh = packet.length > LRH_SIZE && (packet.readUInt8(1) & 3) === LNH_IBA_GLOBAL;
  return LRH_SIZE + (hasGrh ? GRH_SIZE : 0);
}

/** BTH:DestQP; `undefined` of a packet too short to have it. */
export function destinationQpn(packet: Buffer): number | undefined {
  const at = transportAt(packet) + 5;
  return packet.length < at + 3 ? undefined : packet.readUIntBE(at, 3);
}

/** GRH:DGID of a packet to a multicast LID, 16 bytes as a string of as many characters; `undefined` of any other. */
export function multicastGroup(packet: Buffer): string | undefined {
  if (packet.length < LRH_SIZE + GRH_SIZE || (packet.readUInt8(1) & 3) !== LNH_IBA_GLOBAL) return undefined;
  return Lid.isMulticast(Lid.from(packet.readUInt16BE(2)))
    ? packet.toString("latin1", LRH_SIZE + GRH_SIZE - 16, LRH_SIZE + GRH_SIZE)
    : undefined;
}

/** BTH:P_Key; 0, which no port admits, of a packet too short to have it. */
export function pkeyOf(packet: Buffer): PKey {
  const at = transportAt(packet) + 2;
  return packet.length < at + 2 ? PKey.zero : PKey.from(packet.readUInt16BE(at));
}
