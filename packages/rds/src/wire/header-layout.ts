/** Bytes of the header in front of every message. */
export const HEADER_SIZE = 48;

/** Where the fields of the header begin. All are big-endian. */
export const HeaderOffset = {
  sequence: 0,
  ack: 8,
  length: 16,
  sourcePort: 20,
  destinationPort: 22,
  flags: 24,
  credit: 25,
  padding: 26,
  checksum: 30,
  extensions: 32,
} as const;

/** Bytes of the extension area. */
export const EXTENSIONS_SIZE = 16;

/** Bits of the flags. */
export const HeaderFlag = {
  /** The payload is a congestion map, if no other flag is set. */
  congestionMap: 0x01,
  /** RDMA only: the receiver is to acknowledge at once. */
  ackRequired: 0x02,
  /** The message was handed to an earlier connection already. */
  retransmitted: 0x04,
} as const;
