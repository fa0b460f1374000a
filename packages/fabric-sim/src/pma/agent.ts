import {
  decodeMadHeader,
  emptyClassRedirect,
  encodeClassPortInfo,
  MAD_SIZE,
  MadMethod,
  MadStatus,
  MgmtClass,
} from "@verbena/ib";
import type { FabricPort } from "../fabric/port.js";
import { admitsPkey, decodePacket, type Gsi } from "../gsi/gsi.js";
import {
  applyCounters,
  encodeCounters,
  PERF_DATA_OFFSET,
  PERF_DATA_SIZE,
  PerfAttribute,
  selectPorts,
} from "./counters.js";

const METHOD_AT = 3;
const STATUS_AT = 4;
const CLASS_VERSION = 1;
/** ClassPortInfo:CapabilityMask of the class: AllPortSelect, and extended counters of 64 bits (IBA 16.1.3.1). */
const ALL_PORT_SELECT = 0x100;
const EXTENDED_WIDTH = 0x200;

/** The performance management agents of all nodes: what their ports counted, for `perfquery` and `ibqueryerrors`. */
export class PerformanceAgents {
  constructor(private readonly gsi: Gsi) {}

  /** Takes a request to a node's agent and answers it: true if it was one. */
  receive(port: FabricPort, packet: Buffer): boolean {
    const decoded = decodePacket(packet);
    const mad = decoded?.payload;
    if (decoded?.bth.destQpn !== 1 || mad?.length !== MAD_SIZE || mad.readUInt8(1) !== MgmtClass.PERF_MGMT)
      return false;
    const { method } = decodeMadHeader(mad);
    if (method !== MadMethod.GET && method !== MadMethod.SET) return false;
    if (!admitsPkey(port, decoded.bth.pkey)) return false;
    const to = {
      port,
      remoteLid: decoded.lrh.slid,
      remoteQpn: decoded.deth?.srcQpn ?? 1,
      pkey: decoded.bth.pkey,
      sl: decoded.lrh.sl,
      mad,
      packet: decoded,
    };
    this.gsi.reply(to, respond(port, Buffer.from(mad)));
    return true;
  }
}

/** Makes the response of a request in place. */
function respond(port: FabricPort, mad: Buffer): Buffer {
  const { method, attributeId, classVersion } = decodeMadHeader(mad);
  const data = mad.subarray(PERF_DATA_OFFSET, PERF_DATA_OFFSET + PERF_DATA_SIZE);
  mad.writeUInt8(MadMethod.GET_RESP, METHOD_AT);
  const answer =
    classVersion === CLASS_VERSION ? answerOf(port, method, attributeId, Buffer.from(data)) : MadStatus.BAD_VERSION;
  mad.writeUInt16BE(typeof answer === "number" ? answer : MadStatus.OK, STATUS_AT);
  if (typeof answer !== "number") data.set(answer);
  return mad;
}

function answerOf({ node }: FabricPort, method: number, attributeId: number, data: Buffer): Buffer | number {
  switch (attributeId) {
    case PerfAttribute.CLASS_PORT_INFO: {
      if (method === MadMethod.SET) return MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED;
      const info = {
        baseVersion: 1,
        classVersion: CLASS_VERSION,
        capabilityMask: ALL_PORT_SELECT | EXTENDED_WIDTH,
        capabilityMask2: 0,
        respTimeValue: 16,
        redirect: emptyClassRedirect(),
        trap: emptyClassRedirect(),
      };
      return Buffer.concat([encodeClassPortInfo(info)], PERF_DATA_SIZE);
    }
    case PerfAttribute.PORT_COUNTERS:
    case PerfAttribute.PORT_COUNTERS_EXTENDED: {
      const select = data.readUInt8(1);
      const counters = selectPorts(node.ports, select).map((port) => port.counters);
      if (counters.length === 0) return MadStatus.INVALID_ATTRIBUTE_VALUE;
      if (method === MadMethod.SET) applyCounters(attributeId, data, counters);
      return encodeCounters(attributeId, select, counters);
    }
    default:
      return MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED;
  }
}
