import { SaAttribute } from "@verbena/ib";
import { answerClassPortInfo } from "./class-port-info.js";
import { answerLftRecord } from "./forwarding-records.js";
import type { SaHandler } from "./handler.js";
import { answerInformInfo, answerInformInfoRecord } from "./inform-info.js";
import { answerMcMemberRecord } from "./mc-member-records.js";
import { answerNodeRecord } from "./node-records.js";
import { answerPathRecord } from "./path-records.js";
import { answerGuidInfoRecord, answerPortInfoRecord } from "./port-records.js";
import { answerServiceRecord } from "./service-records.js";
import { answerLinkRecord, answerPkeyRecord, answerSmInfoRecord, answerSwitchInfoRecord } from "./subnet-records.js";

/** One attribute of the SA: its name in counters, and what answers it. */
export interface SaAttributeEntry {
  readonly name: string;
  readonly answer: SaHandler;
}

/** The attributes that the built-in SA knows, by attribute id. */
export const SA_ATTRIBUTES: ReadonlyMap<number, SaAttributeEntry> = new Map([
  [SaAttribute.CLASS_PORT_INFO, { name: "ClassPortInfo", answer: answerClassPortInfo }],
  [SaAttribute.NODE_RECORD, { name: "NodeRecord", answer: answerNodeRecord }],
  [SaAttribute.PORT_INFO_RECORD, { name: "PortInfoRecord", answer: answerPortInfoRecord }],
  [SaAttribute.SWITCH_INFO_RECORD, { name: "SwitchInfoRecord", answer: answerSwitchInfoRecord }],
  [SaAttribute.SM_INFO_RECORD, { name: "SMInfoRecord", answer: answerSmInfoRecord }],
  [SaAttribute.LINEAR_FT_RECORD, { name: "LinearForwardingTableRecord", answer: answerLftRecord }],
  [SaAttribute.LINK_RECORD, { name: "LinkRecord", answer: answerLinkRecord }],
  [SaAttribute.GUID_INFO_RECORD, { name: "GUIDInfoRecord", answer: answerGuidInfoRecord }],
  [SaAttribute.PKEY_TABLE_RECORD, { name: "PKeyTableRecord", answer: answerPkeyRecord }],
  [SaAttribute.PATH_RECORD, { name: "PathRecord", answer: answerPathRecord }],
  [SaAttribute.MC_MEMBER_RECORD, { name: "MCMemberRecord", answer: answerMcMemberRecord }],
  [SaAttribute.SERVICE_RECORD, { name: "ServiceRecord", answer: answerServiceRecord }],
  [SaAttribute.INFORM_INFO, { name: "InformInfo", answer: answerInformInfo }],
  [SaAttribute.INFORM_INFO_RECORD, { name: "InformInfoRecord", answer: answerInformInfoRecord }],
]);
