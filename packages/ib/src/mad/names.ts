import { MadStatus, MgmtClass, SaAttribute, SmAttribute } from "./constants.js";

/** Names of management classes (IBA 13.4.4), as the field says them. */
const CLASS_NAMES: ReadonlyMap<number, string> = new Map([
  [MgmtClass.SUBN_LID_ROUTED, "SM"],
  [MgmtClass.SUBN_DIRECTED_ROUTE, "SM-DR"],
  [MgmtClass.SUBN_ADM, "SA"],
  [MgmtClass.PERF_MGMT, "Perf"],
  [0x05, "Baseboard"],
  [MgmtClass.DEVICE_MGMT, "Device"],
  [MgmtClass.CM, "CM"],
  [0x08, "SNMP"],
  [0x10, "DeviceAdm"],
  [0x11, "BootMgt"],
  [0x12, "BIS"],
  [0x21, "CongestionControl"],
  [MgmtClass.ACM, "ACM"],
]);

/** Names of methods (IBA 13.4.5, 15.2.2). */
const METHOD_NAMES: ReadonlyMap<number, string> = new Map([
  [0x01, "Get"],
  [0x02, "Set"],
  [0x03, "Send"],
  [0x05, "Trap"],
  [0x06, "Report"],
  [0x07, "TrapRepress"],
  [0x12, "GetTable"],
  [0x13, "GetTraceTable"],
  [0x14, "GetMulti"],
  [0x15, "Delete"],
  [0x81, "GetResp"],
  [0x86, "ReportResp"],
  [0x92, "GetTableResp"],
  [0x93, "GetTraceTableResp"],
  [0x94, "GetMultiResp"],
  [0x95, "DeleteResp"],
]);

/** Attributes of every class (IBA 13.4.8). */
const COMMON_ATTRIBUTES: ReadonlyMap<number, string> = new Map([
  [0x0001, "ClassPortInfo"],
  [0x0002, "Notice"],
  [0x0003, "InformInfo"],
]);

const SM_ATTRIBUTES: ReadonlyMap<number, string> = new Map([
  [SmAttribute.NODE_DESCRIPTION, "NodeDescription"],
  [SmAttribute.NODE_INFO, "NodeInfo"],
  [SmAttribute.SWITCH_INFO, "SwitchInfo"],
  [SmAttribute.GUID_INFO, "GUIDInfo"],
  [SmAttribute.PORT_INFO, "PortInfo"],
  [SmAttribute.PKEY_TABLE, "PKeyTable"],
  [SmAttribute.SLVL_TABLE, "SLtoVLMappingTable"],
  [SmAttribute.VL_ARBITRATION, "VLArbitrationTable"],
  [SmAttribute.LINEAR_FT, "LinearForwardingTable"],
  [SmAttribute.RANDOM_FT, "RandomForwardingTable"],
  [SmAttribute.MULTICAST_FT, "MulticastForwardingTable"],
  [SmAttribute.SM_INFO, "SMInfo"],
  [0x0030, "VendorDiag"],
  [0x0031, "LedInfo"],
]);

const SA_ATTRIBUTES: ReadonlyMap<number, string> = new Map([
  [SaAttribute.NODE_RECORD, "NodeRecord"],
  [SaAttribute.PORT_INFO_RECORD, "PortInfoRecord"],
  [SaAttribute.SLVL_RECORD, "SLtoVLMappingTableRecord"],
  [SaAttribute.SWITCH_INFO_RECORD, "SwitchInfoRecord"],
  [SaAttribute.LINEAR_FT_RECORD, "LinearForwardingTableRecord"],
  [SaAttribute.RANDOM_FT_RECORD, "RandomForwardingTableRecord"],
  [SaAttribute.MULTICAST_FT_RECORD, "MulticastForwardingTableRecord"],
  [SaAttribute.SM_INFO_RECORD, "SMInfoRecord"],
  [SaAttribute.LINK_RECORD, "LinkRecord"],
  [SaAttribute.GUID_INFO_RECORD, "GUIDInfoRecord"],
  [SaAttribute.SERVICE_RECORD, "ServiceRecord"],
  [SaAttribute.PKEY_TABLE_RECORD, "PKeyTableRecord"],
  [SaAttribute.PATH_RECORD, "PathRecord"],
  [SaAttribute.VL_ARBITRATION_RECORD, "VLArbitrationTableRecord"],
  [SaAttribute.MC_MEMBER_RECORD, "MCMemberRecord"],
  [SaAttribute.TRACE_RECORD, "TraceRecord"],
  [SaAttribute.MULTI_PATH_RECORD, "MultiPathRecord"],
  [SaAttribute.INFORM_INFO_RECORD, "InformInfoRecord"],
]);

const PERF_ATTRIBUTES: ReadonlyMap<number, string> = new Map([
  [0x0010, "PortSamplesControl"],
  [0x0011, "PortSamplesResult"],
  [0x0012, "PortCounters"],
  [0x001d, "PortCountersExtended"],
]);

/** Connection management's messages (IBA 12.6). */
const CM_ATTRIBUTES: ReadonlyMap<number, string> = new Map([
  [0x0010, "ConnectRequest"],
  [0x0011, "MsgRcptAck"],
  [0x0012, "ConnectReject"],
  [0x0013, "ConnectReply"],
  [0x0014, "ReadyToUse"],
  [0x0015, "DisconnectRequest"],
  [0x0016, "DisconnectReply"],
  [0x0017, "ServiceIDResReq"],
  [0x0018, "ServiceIDResReqResp"],
  [0x0019, "LoadAlternatePath"],
  [0x001a, "AlternatePathResponse"],
]);

const ATTRIBUTES_OF: ReadonlyMap<number, ReadonlyMap<number, string>> = new Map([
  [MgmtClass.SUBN_LID_ROUTED, SM_ATTRIBUTES],
  [MgmtClass.SUBN_DIRECTED_ROUTE, SM_ATTRIBUTES],
  [MgmtClass.SUBN_ADM, SA_ATTRIBUTES],
  [MgmtClass.PERF_MGMT, PERF_ATTRIBUTES],
  [MgmtClass.CM, CM_ATTRIBUTES],
]);

const COMMON_STATUS: ReadonlyMap<number, string> = new Map([
  [0x04, "bad class or version"],
  [0x08, "method not supported"],
  [0x0c, "method and attribute not supported"],
  [0x1c, "invalid attribute value"],
]);

const SA_STATUS: ReadonlyMap<number, string> = new Map([
  [MadStatus.SA_NO_RESOURCES, "no resources"],
  [MadStatus.SA_REQ_INVALID, "request invalid"],
  [MadStatus.SA_NO_RECORDS, "no records"],
  [MadStatus.SA_TOO_MANY_RECORDS, "too many records"],
  [MadStatus.SA_INVALID_GID, "invalid GID"],
  [MadStatus.SA_INSUFFICIENT_COMPONENTS, "insufficient components"],
  [MadStatus.SA_REQ_DENIED, "request denied"],
  [MadStatus.SA_PRIORITY_SUGGESTED, "priority suggested"],
]);

const number = (value: number, digits: number): string => `0x${value.toString(16).padStart(digits, "0")}`;

/** Name of a management class, `SA`; of one without a name its number, `0x2d`. */
export function mgmtClassName(mgmtClass: number): string {
  return CLASS_NAMES.get(mgmtClass) ?? number(mgmtClass, 2);
}

/** Name of a method, `GetTableResp`, or its number. */
export function madMethodName(method: number): string {
  return METHOD_NAMES.get(method) ?? number(method, 2);
}

/** Name of an attribute in a class, `PathRecord`, or its number. */
export function madAttributeName(mgmtClass: number, attributeId: number): string {
  const own = ATTRIBUTES_OF.get(mgmtClass)?.get(attributeId);
  return own ?? COMMON_ATTRIBUTES.get(attributeId) ?? number(attributeId, 4);
}

/** A status in words: `ok`, `busy`, `no records`; what has no words as its number. The direction bit of SMPs does not count. */
export function madStatusText(mgmtClass: number, status: number): string {
  const value = mgmtClass === MgmtClass.SUBN_DIRECTED_ROUTE ? status & 0x7fff : status;
  if (value === MadStatus.OK) return "ok";
  if ((value & 0xff) === MadStatus.BUSY) return "busy";
  if ((value & 0xff) === MadStatus.REDIRECT) return "redirect";
  const own = mgmtClass === MgmtClass.SUBN_ADM ? SA_STATUS.get(value & 0xff00) : undefined;
  return own ?? COMMON_STATUS.get(value) ?? number(value, 4);
}

/** Code of a management class by its name in any case, or of `0x03` and `3`; `undefined` for neither. */
export function mgmtClassNamed(text: string): number | undefined {
  return codeOf(CLASS_NAMES, text) ?? numeral(text, 0xff);
}

/** Code of a method by its name in any case, or of its number; `undefined` for neither. */
export function madMethodNamed(text: string): number | undefined {
  return codeOf(METHOD_NAMES, text) ?? numeral(text, 0xff);
}

/** Code of an attribute of a class by its name in any case, or of its number; `undefined` for neither. */
export function madAttributeNamed(mgmtClass: number, text: string): number | undefined {
  const own = ATTRIBUTES_OF.get(mgmtClass);
  return (own && codeOf(own, text)) ?? codeOf(COMMON_ATTRIBUTES, text) ?? numeral(text, 0xffff);
}

/** All names of classes and methods, and of a class's attributes: for help and suggestions. */
export function madNames(mgmtClass: number): Readonly<Record<"classes" | "methods" | "attributes", readonly string[]>> {
  return {
    classes: [...CLASS_NAMES.values()],
    methods: [...METHOD_NAMES.values()],
    attributes: [...(ATTRIBUTES_OF.get(mgmtClass)?.values() ?? []), ...COMMON_ATTRIBUTES.values()],
  };
}

function codeOf(names: ReadonlyMap<number, string>, text: string): number | undefined {
  const wanted = text.toLowerCase();
  for (const [code, name] of names) if (name.toLowerCase() === wanted) return code;
  return undefined;
}

function numeral(text: string, max: number): number | undefined {
  const value = /^(?:0x[0-9a-f]+|\d+)$/i.test(text) ? Number(text) : Number.NaN;
  return value <= max ? value : undefined;
}
