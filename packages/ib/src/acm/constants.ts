/** Version byte of the ACM client protocol. */
export const ACM_VERSION = 1;
/** Bytes of the message header. */
export const ACM_HEADER_SIZE = 16;
/** Bytes of an address record. */
export const ACM_RECORD_SIZE = 72;
/** Bytes of the address or path inside a record; also the room for a name. */
export const ACM_ADDRESS_SIZE = 64;
/** Records a RESOLVE or PERF message holds at most. */
export const ACM_MAX_RECORDS = 8;
/** Largest message but for endpoint replies: header and eight records. */
export const ACM_MAX_MESSAGE = ACM_HEADER_SIZE + ACM_MAX_RECORDS * ACM_RECORD_SIZE;
/** Counters in a PERF reply. */
export const ACM_COUNTER_COUNT = 7;
/** Addresses in an endpoint reply at most: its 16-bit length ends there. */
export const ACM_MAX_ENDPOINT_ADDRESSES = 1022;

/** Opcodes; the low four bits choose the operation, ACK marks some replies. */
export const ACM_OPCODE = { RESOLVE: 0x01, PERF_QUERY: 0x02, ENDPOINT_QUERY: 0x03, MASK: 0x0f, ACK: 0x80 } as const;

/** Status codes of replies; unassigned ones pass as data (the C library shows them as EINVAL). */
export const ACM_STATUS = {
  SUCCESS: 0,
  ENOMEM: 1,
  EINVAL: 2,
  ENODATA: 3,
  ENOTCONN: 5,
  ETIMEDOUT: 6,
  ESRCADDR: 7,
  ESRCTYPE: 8,
  EDESTADDR: 9,
  EDESTTYPE: 10,
} as const;

/** Names of the assigned status codes. */
export type AcmStatusName = keyof typeof ACM_STATUS;

/** Name of a status code; `undefined` if it is unassigned. */
export function acmStatusName(status: number): AcmStatusName | undefined {
  for (const [name, code] of Object.entries(ACM_STATUS)) if (code === status) return name as AcmStatusName;
  return undefined;
}

/** Types of address records. */
export const ACM_TYPE = { NAME: 0x0001, IP4: 0x0002, IP6: 0x0003, GID: 0x0004, LID: 0x0005, PATH: 0x0010 } as const;

/** Flags of address records in requests (and of the SOURCE record in replies). */
export const ACM_FLAG = {
  SOURCE: 0x0000_0001,
  DEST: 0x0000_0002,
  NODELAY: 0x4000_0000,
  QUERY_SA: 0x8000_0000,
} as const;

/** Flags of PATH records in replies. */
export const ACM_PATH_FLAG = {
  GMP: 0x01,
  PRIMARY: 0x02,
  ALTERNATE: 0x04,
  OUTBOUND: 0x08,
  INBOUND: 0x10,
  INBOUND_REVERSE: 0x20,
  BIDIRECTIONAL: 0x28,
  /** GMP, PRIMARY and BIDIRECTIONAL: what every ordinary answer carries and the only value the kernel takes from librdmacm. */
  ANSWER: 0x2b,
} as const;

/** Names of the counters in a PERF reply, in wire order. */
export const ACM_COUNTERS = [
  "error",
  "resolve",
  "noData",
  "addressQuery",
  "addressCache",
  "routeQuery",
  "routeCache",
] as const;

/** Name of one counter. */
export type AcmCounterName = (typeof ACM_COUNTERS)[number];
