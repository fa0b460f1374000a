/** Numbers of the kernel's RDMA local service, spoken over NETLINK_RDMA (protocol 20). */
export const NetlinkLs = {
  /** Client number in the upper bits of a message type. */
  CLIENT: 4,
  /** Mask of the multicast group in which the kernel asks: number 3. */
  GROUP_MASK: 0x4,
  /** Message type with which the kernel refuses or acknowledges a message; of no client. */
  ERROR: 2,
  /** Message types: (client << 10) + operation. */
  RESOLVE: 0x1000,
  SET_TIMEOUT: 0x1001,
  IP_RESOLVE: 0x1002,
  /** Message flag of requests; answers must not carry it. */
  FLAG_REQUEST: 0x0001,
  /** Message flag of requests: acknowledge this one. */
  FLAG_ACK: 0x0004,
  /** Message flag of an answer that says "failed": the kernel asks the SA itself. */
  FLAG_ERROR: 0x0100,
  /** Bit of an attribute's type: whoever does not know the attribute must fail the request. */
  ATTRIBUTE_MANDATORY: 0x2000,
} as const;

/** Attribute numbers. */
export const NetlinkLsAttribute = {
  PATH_RECORD: 1,
  TIMEOUT: 2,
  SERVICE_ID: 3,
  DGID: 4,
  SGID: 5,
  TCLASS: 6,
  PKEY: 7,
  QOS_CLASS: 8,
  IPV4: 9,
  IPV6: 10,
} as const;

/** How long the kernel waits for an answer, milliseconds: its default, and what SET_TIMEOUT is clamped to. */
export const NETLINK_TIMEOUT_MS = { DEFAULT: 2_000, MIN: 100, MAX: 200_000 } as const;

/** What the kernel wants the path for; decides the flags that the answer has to carry. */
export const NetlinkPathUse = { ALL: 0, UNIDIRECTIONAL: 1, GMP: 2 } as const;

/** Bytes of a netlink message header. */
export const NETLINK_HEADER_SIZE = 16;
