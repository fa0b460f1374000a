/** Numbers of Linux' interface to RDS. */

/** Levels of options and control messages. */
export const LEVEL = { socket: 1, rds: 276 } as const;

/** Socket options. */
export const OPTION = {
  /** Of the level `socket`. */
  sendBuffer: 7,
  receiveBuffer: 8,
  timestamp: 29,
  sendBufferForce: 32,
  receiveBufferForce: 33,
  /** Of the level `rds`. */
  congestionMonitor: 6,
  transport: 8,
  receiveLatency: 10,
} as const;

/** Control messages of the level `rds`. */
export const CONTROL = {
  congestionUpdate: 5,
  receiveLatency: 11,
  zeroCopyCookie: 12,
  zeroCopyCompletion: 13,
} as const;

/** Values of the option `transport`. */
export const TRANSPORT_NAMES: ReadonlyMap<number, string> = new Map([
  [-1, "none"],
  [0, "infiniband"],
  [2, "tcp"],
  [3, "loopback"],
]);
