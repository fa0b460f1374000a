/** Bytes of a MAD on the wire; RMPP messages above the transport may be longer. */
export const MAD_SIZE = 256;

/** Management classes (IBA 13.4.4). */
export const MgmtClass = {
  SUBN_LID_ROUTED: 0x01,
  SUBN_DIRECTED_ROUTE: 0x81,
  SUBN_ADM: 0x03,
  PERF_MGMT: 0x04,
  DEVICE_MGMT: 0x06,
  CM: 0x07,
  /** ACM address resolution between daemons. */
  ACM: 0x2c,
} as const;

/** Methods (IBA 13.4.5 and, from 0x12 on, the SA's: 15.2.2). */
export const MadMethod = {
  GET: 0x01,
  SET: 0x02,
  SEND: 0x03,
  TRAP: 0x05,
  REPORT: 0x06,
  TRAP_REPRESS: 0x07,
  GET_TABLE: 0x12,
  GET_TRACE_TABLE: 0x13,
  GET_MULTI: 0x14,
  DELETE: 0x15,
  /** Bit that makes a response of a request. */
  RESPONSE: 0x80,
  GET_RESP: 0x81,
  REPORT_RESP: 0x86,
  GET_TABLE_RESP: 0x92,
  GET_MULTI_RESP: 0x94,
  DELETE_RESP: 0x95,
} as const;

/** SA attributes (IBA 15.2.3). */
export const SaAttribute = {
  CLASS_PORT_INFO: 0x0001,
  NOTICE: 0x0002,
  INFORM_INFO: 0x0003,
  NODE_RECORD: 0x0011,
  PORT_INFO_RECORD: 0x0012,
  SLVL_RECORD: 0x0013,
  SWITCH_INFO_RECORD: 0x0014,
  LINEAR_FT_RECORD: 0x0015,
  RANDOM_FT_RECORD: 0x0016,
  MULTICAST_FT_RECORD: 0x0017,
  SM_INFO_RECORD: 0x0018,
  LINK_RECORD: 0x0020,
  GUID_INFO_RECORD: 0x0030,
  SERVICE_RECORD: 0x0031,
  PKEY_TABLE_RECORD: 0x0033,
  PATH_RECORD: 0x0035,
  VL_ARBITRATION_RECORD: 0x0036,
  MC_MEMBER_RECORD: 0x0038,
  TRACE_RECORD: 0x0039,
  MULTI_PATH_RECORD: 0x003a,
  INFORM_INFO_RECORD: 0x00f3,
} as const;

/** SM attributes (IBA 14.2.5). */
export const SmAttribute = {
  NOTICE: 0x0002,
  NODE_DESCRIPTION: 0x0010,
  NODE_INFO: 0x0011,
  SWITCH_INFO: 0x0012,
  GUID_INFO: 0x0014,
  PORT_INFO: 0x0015,
  PKEY_TABLE: 0x0016,
  SLVL_TABLE: 0x0017,
  VL_ARBITRATION: 0x0018,
  LINEAR_FT: 0x0019,
  RANDOM_FT: 0x001a,
  MULTICAST_FT: 0x001b,
  SM_INFO: 0x0020,
} as const;

/** MAD status (IBA 13.4.7): low byte common to all classes, high byte of the class; the `SA_` ones are the SA's (15.2.4). */
export const MadStatus = {
  OK: 0x0000,
  BUSY: 0x0001,
  REDIRECT: 0x0002,
  BAD_VERSION: 0x0004,
  METHOD_NOT_SUPPORTED: 0x0008,
  METHOD_ATTRIBUTE_NOT_SUPPORTED: 0x000c,
  INVALID_ATTRIBUTE_VALUE: 0x001c,
  SA_NO_RESOURCES: 0x0100,
  SA_REQ_INVALID: 0x0200,
  SA_NO_RECORDS: 0x0300,
  SA_TOO_MANY_RECORDS: 0x0400,
  SA_INVALID_GID: 0x0500,
  SA_INSUFFICIENT_COMPONENTS: 0x0600,
  SA_REQ_DENIED: 0x0700,
  SA_PRIORITY_SUGGESTED: 0x0800,
} as const;

/** Q_Key of QP1, and of the ACM protocol's QPs. */
export const GSI_QKEY = 0x8001_0000;
