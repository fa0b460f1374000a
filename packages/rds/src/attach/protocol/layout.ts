import type { DatagramErrno, TransportInfoLists } from "@verbena/core/sdk";

/** First bytes of either direction: four letters, the version, two bytes of zero. They stay as they are in every version. */
export const MAGIC = Buffer.from("VRDS", "latin1");
export const PREAMBLE_SIZE = 8;
/** Version of everything behind the preamble. */
export const ATTACH_VERSION = 1;

/** In front of every frame: bytes of its body (32 bits), type (8), three bytes of zero. */
export const HEADER_SIZE = 8;

/** Types of frames that a process sends to the stack. */
export const ClientType = {
  bind: 1,
  settings: 2,
  destination: 3,
  forget: 4,
  data: 5,
  cancel: 6,
  read: 7,
  info: 8,
} as const;

/** Types of frames that the stack sends to a process. */
export const ServerType = {
  welcome: 65,
  bound: 66,
  refused: 67,
  message: 68,
  released: 69,
  state: 70,
  freed: 71,
  info: 72,
  end: 73,
} as const;

/** Bytes of an end: family, zero, port (16 bits), scope id (32), address (128; IPv4 in the first four bytes). */
export const END_SIZE = 24;

/** Sizes of the bodies, or of their fixed beginnings. */
export const BodySize = {
  settings: 12 + END_SIZE,
  bind: END_SIZE + 12 + END_SIZE,
  destination: 4 + END_SIZE,
  handle: 4,
  read: 4,
  info: 8,
  welcome: 24,
  message: 12 + END_SIZE,
  released: 8,
  state: 8,
  freed: 8,
  infoPart: 8,
} as const;

/** What is said of a refusal, a transport's name or the end, bytes at most. */
export const MAX_TEXT = 4096;
/** Piece of a list, bytes at most. */
export const MAX_INFO_PART = 64 * 1024;

/** Errnos by their place on the wire; 0 is none of them. New ones go to the end. */
export const ERRNOS: readonly (DatagramErrno | undefined)[] = [
  undefined,
  "EADDRINUSE",
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
  "EAGAIN",
  "EDESTADDRREQ",
  "EINVAL",
  "EMSGSIZE",
  "ENOBUFS",
  "ENOMEM",
  "ENOPROTOOPT",
  "ENOTCONN",
  "EOPNOTSUPP",
  "EPROTOTYPE",
  "ETIMEDOUT",
];

/** Lists by their place on the wire. New ones go to the end. */
export const LISTS: readonly (keyof TransportInfoLists)[] = [
  "counters",
  "connections",
  "sendQueue",
  "retransmitQueue",
  "receiveQueue",
  "sockets",
  "tcpSockets",
];
