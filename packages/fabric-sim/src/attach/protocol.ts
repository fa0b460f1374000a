/**
 * Numbers of the attach protocol, which `libfabricsim.so` speaks with the fabric process. `docs/attach-protocol.md` describes the
 * messages; `src/cc/attach-protocol.h` holds the same numbers for the library. A change here needs a new `PROTOCOL_VERSION`.
 */

/** Checked at attach; both sides must have the same. */
export const PROTOCOL_VERSION = 3;

/** First field of HELLO: the bytes `VFAB`. */
export const HELLO_MAGIC = 0x42414656;

/** File name of the socket inside the fabric's directory. */
export const SOCKET_NAME = "fabric.sock";

/** Bytes that a Unix socket path may have (108 with its terminating zero). */
export const MAX_SOCKET_PATH = 107;

/** Largest frame: everything behind the length field. */
export const MAX_FRAME = 65_536;

/** Bytes of a frame before its body: length, type, flags, tag. */
export const FRAME_HEADER_SIZE = 12;

/** Set in the type of an answer. */
export const REPLY_BIT = 0x8000;

/** Message types. Requests carry a tag other than 0 and get one reply with the same tag; the others have tag 0. */
export const MessageType = {
  HELLO: 1,
  OPEN_PORT: 2,
  CLOSE_PORT: 3,
  REGISTER_AGENT: 4,
  UNREGISTER_AGENT: 5,
  PACKET: 6,
  SET_ISSM: 7,
  ASYNC_EVENT: 8,
  RESERVE: 9,
  DATA: 10,
  ATTACH_MULTICAST: 11,
  DETACH_MULTICAST: 12,
  VIOLATION: 13,
  SYNC: 14,
} as const;

/** What RESERVE asks for: queue pair numbers of an HCA, or the high 12 bits of the keys of its memory regions. */
export const NumberKind = { QPN: 1, KEY_TAG: 2 } as const;

/** What VIOLATION tells: a queue pair dropped a packet for its partition key, or for its queue key. */
export const ViolationKind = { PKEY: 1, QKEY: 2 } as const;

/** errno values that replies carry, as Linux numbers them on every architecture Node runs on. */
export const Errno = {
  OK: 0,
  EIO: 5,
  EBADF: 9,
  EAGAIN: 11,
  ENODEV: 19,
  EINVAL: 22,
  ENOSPC: 28,
  EPROTO: 71,
} as const;

/** Numbers of asynchronous events on the wire: those of verbs (`enum ibv_event_type`). */
export const EVENT_NUMBERS = {
  "device-fatal": 8,
  "port-active": 9,
  "port-err": 10,
  "lid-change": 11,
  "pkey-change": 12,
  "sm-change": 13,
  "client-reregister": 17,
  "gid-change": 18,
} as const;
