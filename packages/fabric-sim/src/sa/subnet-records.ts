import {
  encodePKeyBlock,
  encodeSmInfo,
  encodeSwitchInfo,
  MadMethod,
  MadStatus,
  PKEY_BLOCK_ENTRIES,
  SM_INFO_SIZE,
  SWITCH_INFO_SIZE,
} from "@verbena/ib";
import { partitionCap, smInfo, switchInfo } from "../sma/attributes.js";
import { type SaHandler, type SaRequest, sharePartition } from "./handler.js";
import { allPorts } from "./node-ports.js";

// These records have no codec of their own in @verbena/ib: a LID and a few numbers before an SM attribute (IBA 15.2.5.4 ff.).

const LINK_RECORD_SIZE = 8;
const SWITCH_INFO_RECORD_SIZE = 4 + SWITCH_INFO_SIZE;
const SM_INFO_RECORD_SIZE = 4 + SM_INFO_SIZE;
const PKEY_RECORD_SIZE = 8 + 64;

const unsupported = { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };

function isQuery({ mad }: SaRequest): boolean {
  return mad.method === MadMethod.GET || mad.method === MadMethod.GET_TABLE;
}

/** LinkRecord Get and GetTable (IBA 15.2.5.13): from LID and port, to port and LID; each link once from either end. */
export const answerLinkRecord: SaHandler = (request, sm) => {
  if (!isQuery(request)) return unsupported;
  const { componentMask: mask, data } = request.mad;
  const asks = (bit: number) => (mask & (1n << BigInt(bit))) !== 0n;
  const records: Buffer[] = [];
  for (const { port, owner } of allPorts(sm.subnet)) {
    const remote = port.number === 0 ? undefined : port.neighbour;
    const remoteOwner = remote?.node.kind === "switch" ? remote.node.ports[0] : remote;
    if (remote === undefined || remoteOwner === undefined) continue;
    if (!sharePartition(request.requester, owner) || !sharePartition(request.requester, remoteOwner)) continue;
    if (asks(0) && !owner.hasLid(data.readUInt16BE(0))) continue;
    if (asks(1) && port.number !== data.readUInt8(2)) continue;
    if (asks(2) && remote.number !== data.readUInt8(3)) continue;
    if (asks(3) && !remoteOwner.hasLid(data.readUInt16BE(4))) continue;
    const record = Buffer.alloc(LINK_RECORD_SIZE);
    record.writeUInt16BE(owner.lid, 0);
    record.writeUInt8(port.number, 2);
    record.writeUInt8(remote.number, 3);
    record.writeUInt16BE(remoteOwner.lid, 4);
    records.push(record);
  }
  return { records, size: LINK_RECORD_SIZE };
};

/** SwitchInfoRecord Get and GetTable (IBA 15.2.5.5). */
export const answerSwitchInfoRecord: SaHandler = (request, sm) => {
  if (!isQuery(request)) return unsupported;
  const { componentMask: mask, data } = request.mad;
  const records: Buffer[] = [];
  for (const node of sm.subnet.switches) {
    const [zero] = node.ports;
    if (zero === undefined || !sharePartition(request.requester, zero)) continue;
    if ((mask & 1n) !== 0n && !zero.hasLid(data.readUInt16BE(0))) continue;
    const record = Buffer.alloc(SWITCH_INFO_RECORD_SIZE);
    record.writeUInt16BE(zero.lid, 0);
    record.set(encodeSwitchInfo(switchInfo(node)), 4);
    records.push(record);
  }
  return { records, size: SWITCH_INFO_RECORD_SIZE };
};

/** SMInfoRecord Get and GetTable (IBA 15.2.5.10): there is one subnet manager. */
export const answerSmInfoRecord: SaHandler = (request, sm) => {
  if (!isQuery(request)) return unsupported;
  const { componentMask: mask, data } = request.mad;
  const matches = (mask & 1n) === 0n || sm.port.hasLid(data.readUInt16BE(0));
  const record = Buffer.alloc(SM_INFO_RECORD_SIZE);
  record.writeUInt16BE(sm.port.lid, 0);
  record.set(encodeSmInfo(smInfo(sm.port, 1)), 4);
  return { records: matches ? [record] : [], size: SM_INFO_RECORD_SIZE };
};

/**
 * P_KeyTableRecord Get and GetTable (IBA 15.2.5.11), for trusted requests only: every block of the table of every port. Of hosts
 * the port number is not looked at, as OpenSM does.
 */
export const answerPkeyRecord: SaHandler = (request, sm) => {
  if (!isQuery(request)) return unsupported;
  if (!request.isTrusted) return { status: MadStatus.SA_REQ_INVALID };
  const { componentMask: mask, data } = request.mad;
  const asks = (bit: number) => (mask & (1n << BigInt(bit))) !== 0n;
  const records: Buffer[] = [];
  // In the order of the ports' GUIDs, as OpenSM lists them.
  const ports = sm.subnet.endPorts.flatMap((owner) =>
    (owner.node.kind === "switch" ? owner.node.ports : [owner]).map((port) => ({ port, owner })),
  );
  for (const { port, owner } of ports) {
    if (!sharePartition(request.requester, owner)) continue;
    if (asks(0) && !owner.hasLid(data.readUInt16BE(0))) continue;
    if (asks(2) && port.node.kind === "switch" && port.number !== data.readUInt8(4)) continue;
    for (let block = 0; block * PKEY_BLOCK_ENTRIES < partitionCap(port); block++) {
      if (asks(1) && block !== data.readUInt16BE(2)) continue;
      const record = Buffer.alloc(PKEY_RECORD_SIZE);
      record.writeUInt16BE(owner.lid, 0);
      record.writeUInt16BE(block, 2);
      record.writeUInt8(port.number, 4);
      record.set(encodePKeyBlock(port.pkeys.slice(block * PKEY_BLOCK_ENTRIES, (block + 1) * PKEY_BLOCK_ENTRIES)), 8);
      records.push(record);
    }
  }
  return { records, size: PKEY_RECORD_SIZE };
};
