import {
  PORT_INFO_RECORD_COMPONENTS as C,
  decodeGuidInfoRecord,
  decodePortInfoRecord,
  encodeGuidInfoRecord,
  encodePortInfoRecord,
  GUID_INFO_RECORD_COMPONENTS as G,
  GUID_INFO_RECORD_SIZE,
  Guid,
  MadMethod,
  MadStatus,
  PORT_INFO_RECORD_SIZE,
} from "@verbena/ib";
import type { FabricPort } from "../fabric/port.js";
import { GUID_CAP, portInfo } from "../sma/attributes.js";
import { type SaHandler, sharePartition } from "./handler.js";
import { matchesFields } from "./match.js";
import { allPorts, nodeEndPorts } from "./node-ports.js";

/** Bit of the attribute modifier: the capability mask matches if it has at least the wanted bits. */
const CAPABILITY_SUBSET = 0x8000_0000;

/** PortInfoRecord Get and GetTable (IBA 15.2.5.3): every port, those of switches under the LID of port 0. */
export const answerPortInfoRecord: SaHandler = (request, sm) => {
  const { method, componentMask, data, attributeModifier } = request.mad;
  if (method !== MadMethod.GET && method !== MadMethod.GET_TABLE) {
    return { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
  }
  const wanted = decodePortInfoRecord(data);
  const isSubset = (attributeModifier & CAPABILITY_SUBSET) !== 0 && (componentMask & C.capabilityMask) !== 0n;
  const mask = isSubset ? componentMask & ~C.capabilityMask : componentMask;
  const records: Buffer[] = [];
  for (const { port, owner } of allPorts(sm.subnet)) {
    if (!sharePartition(request.requester, owner)) continue;
    const info = portInfo(port);
    if (isSubset && (info.capabilityMask & wanted.portInfo.capabilityMask) !== wanted.portInfo.capabilityMask) continue;
    const endportLid = owner.hasLid(wanted.endportLid) ? wanted.endportLid : owner.lid;
    const actual = { ...info, endportLid, portNum: port.number, options: wanted.options };
    if (!matchesFields(C, mask, { ...wanted.portInfo, ...wanted }, actual)) continue;
    records.push(encodePortInfoRecord({ endportLid: owner.lid, portNum: port.number, options: 0, portInfo: info }));
  }
  return { records, size: PORT_INFO_RECORD_SIZE };
};

/** GUIDInfoRecord Get and GetTable (IBA 15.2.5.18). */
export const answerGuidInfoRecord: SaHandler = (request, sm) => {
  const { method, componentMask: mask, data } = request.mad;
  if (method !== MadMethod.GET && method !== MadMethod.GET_TABLE) {
    return { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
  }
  const wanted = decodeGuidInfoRecord(data);
  const records: Buffer[] = [];
  for (const port of nodeEndPorts(sm.subnet)) {
    if (!sharePartition(request.requester, port)) continue;
    for (let blockNum = 0; blockNum < GUID_CAP / 8; blockNum++) {
      const lid = port.hasLid(wanted.lid) ? wanted.lid : port.lid;
      if (!matchesFields(G, mask, wanted, { lid, blockNum })) continue;
      records.push(encodeGuidInfoRecord({ lid: port.lid, blockNum, guids: guidBlock(port, blockNum) }));
    }
  }
  return { records, size: GUID_INFO_RECORD_SIZE };
};

/** Eight entries of a port's GUID table: entry 0 is the port GUID, aliases follow. */
export function guidBlock(port: FabricPort, blockNum: number): readonly Guid[] {
  const table = [port.guid, ...port.aliasGuids];
  return Array.from({ length: 8 }, (_, index) => table[blockNum * 8 + index] ?? Guid.zero);
}
