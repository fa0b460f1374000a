import {
  INFORM_INFO_RECORD_COMPONENTS as C,
  decodeInformInfo,
  decodeInformInfoRecord,
  encodeInformInfoRecord,
  Gid,
  INFORM_INFO_RECORD_SIZE,
  INFORM_INFO_SIZE,
  type InformInfo,
  MadMethod,
  MadStatus,
} from "@verbena/ib";
import type { SubnetManager } from "../sm/subnet-manager.js";
import { type SaAnswer, type SaHandler, type SaRequest, sharePartition } from "./handler.js";
import { lastLid, type Subscription } from "./subscriptions.js";

const SUBSCRIBE_AT = 23;
const ALL_LIDS = 0xffff;
/** OpenSM rounds the 36 bytes down. */
const ATTRIBUTE_OFFSET = 4;

/** InformInfo Set (IBA 13.4.11): subscribes to notices or ends that; confirmed with a copy of the request. */
export const answerInformInfo: SaHandler = (request, sm, { subscriptions }) => {
  const { mad, requester, address } = request;
  if (mad.method !== MadMethod.SET) return { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
  const copy = Buffer.from(mad.data.subarray(0, INFORM_INFO_SIZE));
  const info = decodeInformInfo(copy);
  if (copy.readUInt8(SUBSCRIBE_AT) > 1) return refuse(copy, MadStatus.SA_REQ_INVALID);
  const subscription: Subscription = {
    subscriberGid: requester.gid,
    address,
    // Reports go where the request came from, and that is what the record shows.
    info: info.subscribe ? { ...info, qpn: address.qpn } : info,
  };
  if (!info.subscribe) {
    return subscriptions.remove(subscription) ? confirm(copy) : refuse(copy, MadStatus.SA_REQ_INVALID);
  }
  if (!mayHear(request, info, sm)) return refuse(copy, MadStatus.SA_REQ_INVALID);
  return subscriptions.add(subscription) ? confirm(copy) : refuse(copy, MadStatus.SA_NO_RESOURCES);
};

/** InformInfoRecord Get and GetTable (IBA 15.2.5.12): the subscriptions of ports that the requester may know. */
export const answerInformInfoRecord: SaHandler = (request, sm, { subscriptions }) => {
  const { method, componentMask: mask, data } = request.mad;
  if (method !== MadMethod.GET && method !== MadMethod.GET_TABLE) {
    return { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
  }
  const wanted = decodeInformInfoRecord(data);
  const records = subscriptions
    .all()
    .filter(({ subscriberGid }) => {
      if ((mask & C.subscriberGid) !== 0n && subscriberGid !== wanted.subscriberGid) return false;
      // Every subscription has enumeration 0, as OpenSM's.
      if ((mask & C.subscriberEnum) !== 0n && wanted.subscriberEnum !== 0) return false;
      const port = sm.subnet.portByGuid(Gid.guid(subscriberGid));
      return port !== undefined && sharePartition(request.requester, port);
    })
    .map(({ subscriberGid, info }) => encodeInformInfoRecord({ subscriberGid, subscriberEnum: 0, informInfo: info }));
  return { records, size: INFORM_INFO_RECORD_SIZE };
};

function confirm(record: Buffer): SaAnswer {
  return { records: [record], size: INFORM_INFO_SIZE, attributeOffset: ATTRIBUTE_OFFSET };
}

/** The answer to a refused request says "not subscribed" (o13-13.1.1). */
function refuse(record: Buffer, status: number): SaAnswer {
  record.writeUInt8(0, SUBSCRIBE_AT);
  return { status, record };
}

/** A subscriber must share a partition with every port that it names by GID or by LIDs. */
function mayHear({ requester }: SaRequest, info: InformInfo, { subnet }: SubnetManager): boolean {
  if (info.gid !== Gid.zero) {
    const port = subnet.portByGuid(Gid.guid(info.gid));
    return port !== undefined && sharePartition(port, requester);
  }
  if (info.lidRangeBegin === ALL_LIDS) return true;
  if (lastLid(info) > subnet.highestLid) return false;
  return subnet.endPorts.every(
    (port) =>
      port.lid + (1 << port.lmc) <= info.lidRangeBegin || port.lid > lastLid(info) || sharePartition(port, requester),
  );
}
