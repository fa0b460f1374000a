import type { PortCounters } from "../fabric/port-counters.js";

/** Data of a performance management MAD begins there (IBA 16.1.1). */
export const PERF_DATA_OFFSET = 64;
/** Bytes of attribute data. */
export const PERF_DATA_SIZE = 192;

/** Performance management attributes that ports have (IBA 16.1.3, 16.1.4). */
export const PerfAttribute = { CLASS_PORT_INFO: 0x01, PORT_COUNTERS: 0x12, PORT_COUNTERS_EXTENDED: 0x1d } as const;

/** Place of a counter in an attribute, and the bit of CounterSelect that clears it. */
interface Field {
  readonly name: keyof PortCounters;
  readonly offset: number;
  readonly bytes: 1 | 2 | 4 | 8;
  readonly selectBit: number;
}

/** PortCounters (IBA 16.1.3.5); counters not named here are always zero. */
const BASIC: readonly Field[] = [
  { name: "linkDowned", offset: 7, bytes: 1, selectBit: 2 },
  { name: "xmitDiscards", offset: 14, bytes: 2, selectBit: 6 },
  { name: "xmitConstraintErrors", offset: 16, bytes: 1, selectBit: 7 },
  { name: "rcvConstraintErrors", offset: 17, bytes: 1, selectBit: 8 },
  { name: "xmitData", offset: 24, bytes: 4, selectBit: 12 },
  { name: "rcvData", offset: 28, bytes: 4, selectBit: 13 },
  { name: "xmitPackets", offset: 32, bytes: 4, selectBit: 14 },
  { name: "rcvPackets", offset: 36, bytes: 4, selectBit: 15 },
];

/** PortCountersExtended (IBA 16.1.4.11). */
const EXTENDED: readonly Field[] = [
  { name: "xmitData", offset: 8, bytes: 8, selectBit: 0 },
  { name: "rcvData", offset: 16, bytes: 8, selectBit: 1 },
  { name: "xmitPackets", offset: 24, bytes: 8, selectBit: 2 },
  { name: "rcvPackets", offset: 32, bytes: 8, selectBit: 3 },
];

/** PortSelect that means all ports of the node. */
const ALL_PORTS = 0xff;

/** Writes the counters of a port, or the sums of several, as PortCounters or PortCountersExtended. A full counter stays full. */
export function encodeCounters(attributeId: number, portSelect: number, ports: readonly PortCounters[]): Buffer {
  const data = Buffer.alloc(PERF_DATA_SIZE);
  data.writeUInt8(portSelect, 1);
  for (const { name, offset, bytes } of fieldsOf(attributeId)) {
    const sum = ports.reduce((total, counters) => total + counters[name], 0);
    if (bytes === 8) data.writeBigUInt64BE(BigInt(sum), offset);
    else data.writeUIntBE(Math.min(sum, 256 ** bytes - 1), offset, bytes);
  }
  return data;
}

/** Sets the counters that CounterSelect of a Set names to the values it has (IBA 16.1.3.5). */
export function applyCounters(attributeId: number, data: Buffer, ports: readonly PortCounters[]): void {
  const select = data.readUInt16BE(2);
  for (const { name, offset, bytes, selectBit } of fieldsOf(attributeId)) {
    if ((select & (1 << selectBit)) === 0) continue;
    const value = bytes === 8 ? Number(data.readBigUInt64BE(offset)) : data.readUIntBE(offset, bytes);
    for (const counters of ports) counters[name] = value;
  }
}

/** The ports of a node that PortSelect means: one, or all. */
export function selectPorts<P extends { readonly number: number }>(
  ports: readonly P[],
  portSelect: number,
): readonly P[] {
  return portSelect === ALL_PORTS ? ports : ports.filter(({ number }) => number === portSelect);
}

function fieldsOf(attributeId: number): readonly Field[] {
  return attributeId === PerfAttribute.PORT_COUNTERS ? BASIC : EXTENDED;
}
