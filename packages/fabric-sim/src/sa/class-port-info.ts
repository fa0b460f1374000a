import {
  CLASS_PORT_INFO_SIZE,
  emptyClassRedirect,
  encodeClassPortInfo,
  GSI_QKEY,
  MadMethod,
  MadStatus,
  SaCapability,
} from "@verbena/ib";
import type { SaHandler } from "./handler.js";

/** Response time of 2^16 × 4.096 µs, 0.27 s, as OpenSM says of itself. */
const RESPONSE_TIME = 16;
/** Bit of the second mask: members that only send and keep a group alive are known. */
const SEND_ONLY_FULL_MEMBER = 1 << 12;

/** ClassPortInfo Get (IBA 13.4.8.1): nobody is redirected. */
export const answerClassPortInfo: SaHandler = ({ mad }) => {
  if (mad.method === MadMethod.GET_TABLE) return { status: MadStatus.SA_REQ_INVALID };
  if (mad.method !== MadMethod.GET) return { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
  const nowhere = emptyClassRedirect();
  const info = encodeClassPortInfo({
    baseVersion: 1,
    classVersion: 2,
    capabilityMask: SaCapability.UD_MULTICAST | SaCapability.PORT_INFO_CAP_MASK_MATCH,
    capabilityMask2: SEND_ONLY_FULL_MEMBER,
    respTimeValue: RESPONSE_TIME,
    redirect: { ...nowhere, qpn: 1, qkey: GSI_QKEY },
    trap: { ...nowhere, qkey: GSI_QKEY },
  });
  return { records: [info], size: CLASS_PORT_INFO_SIZE, attributeOffset: 0 };
};
