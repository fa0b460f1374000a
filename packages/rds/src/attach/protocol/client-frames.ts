import type { DatagramAddress, TransportInfoLists } from "@verbena/core/sdk";
import { payloadLength } from "../../engine/outgoing-message.js";
import { readEnd, writeEnd } from "./end-codec.js";
import { frameOf } from "./frame-parts.js";
import { BodySize, ClientType, END_SIZE, HEADER_SIZE, LISTS } from "./layout.js";
import { malformed } from "./malformed.js";

/** What a process has set of its socket. All of it is sent whenever some of it has changed. */
export interface AttachSettings {
  /** Payload bytes. */
  readonly sendBufferSize: number;
  readonly receiveBufferSize: number;
  readonly timestamps: boolean;
  /** The process wants to hear of ports that have become free. */
  readonly monitors: boolean;
  readonly connected: DatagramAddress | undefined;
}

/** What a process says to the stack. */
export type ClientFrame =
  | { readonly type: "bind"; readonly local: DatagramAddress; readonly settings: AttachSettings }
  | { readonly type: "settings"; readonly settings: AttachSettings }
  /** Names a destination by a number, for `data`, `cancel` and the stack's `state`. */
  | { readonly type: "destination"; readonly handle: number; readonly to: DatagramAddress }
  | { readonly type: "forget"; readonly handle: number }
  | { readonly type: "data"; readonly handle: number; readonly payload: Buffer }
  /** Without an end: all. */
  | { readonly type: "cancel"; readonly to: DatagramAddress | undefined }
  /** So many of the messages sent to the process have been received by the program. */
  | { readonly type: "read"; readonly messages: number }
  | { readonly type: "info"; readonly request: number; readonly list: keyof TransportInfoLists };

const TIMESTAMPS = 1;
const MONITORS = 2;
const CONNECTED = 4;

/** Writes frames of a process. */
export const clientFrame = {
  bind(local: DatagramAddress, settings: AttachSettings): Buffer {
    const buf = frameOf(ClientType.bind, BodySize.bind);
    writeEnd(buf, HEADER_SIZE, local);
    writeSettings(buf, HEADER_SIZE + END_SIZE, settings);
    return buf;
  },
  settings(settings: AttachSettings): Buffer {
    const buf = frameOf(ClientType.settings, BodySize.settings);
    writeSettings(buf, HEADER_SIZE, settings);
    return buf;
  },
  destination(handle: number, to: DatagramAddress): Buffer {
    const buf = frameOf(ClientType.destination, BodySize.destination);
    buf.writeUInt32BE(handle, HEADER_SIZE);
    writeEnd(buf, HEADER_SIZE + 4, to);
    return buf;
  },
  forget: (handle: number): Buffer => numberFrame(ClientType.forget, handle),
  /** The piece in front of the payload, which has so many bytes. */
  data(handle: number, length: number): Buffer {
    const buf = frameOf(ClientType.data, BodySize.handle, length);
    buf.writeUInt32BE(handle, HEADER_SIZE);
    return buf;
  },
  cancel(to: DatagramAddress | undefined): Buffer {
    const buf = frameOf(ClientType.cancel, to === undefined ? 0 : END_SIZE);
    if (to !== undefined) writeEnd(buf, HEADER_SIZE, to);
    return buf;
  },
  read: (messages: number): Buffer => numberFrame(ClientType.read, messages),
  info(request: number, list: keyof TransportInfoLists): Buffer {
    const buf = frameOf(ClientType.info, BodySize.info);
    buf.writeUInt32BE(request, HEADER_SIZE);
    buf.writeUInt8(LISTS.indexOf(list), HEADER_SIZE + 4);
    return buf;
  },
};

/** A message as it is sent: all pieces copied into one, for the sender's bytes are free when the send is done. */
export function dataFrame(handle: number, payload: Uint8Array | readonly Uint8Array[]): Buffer {
  const parts = payload instanceof Uint8Array ? [payload] : payload;
  const head = clientFrame.data(handle, payloadLength(payload));
  return Buffer.concat([head, ...parts]);
}

/** Bytes that the body of a process' frame may have at most. */
export function clientLimit(type: number, maxMessageSize: number): number | undefined {
  return type === ClientType.data ? BodySize.handle + maxMessageSize : LIMITS.get(type);
}

const LIMITS: ReadonlyMap<number, number> = new Map([
  [ClientType.bind, BodySize.bind],
  [ClientType.settings, BodySize.settings],
  [ClientType.destination, BodySize.destination],
  [ClientType.forget, BodySize.handle],
  [ClientType.cancel, END_SIZE],
  [ClientType.read, BodySize.read],
  [ClientType.info, BodySize.info],
]);

/** Reads a frame of a process. Throws `VERBENA_RDS_ATTACH_MALFORMED`. */
export function readClientFrame(type: number, body: Buffer): ClientFrame {
  switch (type) {
    case ClientType.bind:
      needSize(type, body, BodySize.bind);
      return { type: "bind", local: readEnd(body, 0), settings: readSettings(body, END_SIZE) };
    case ClientType.settings:
      needSize(type, body, BodySize.settings);
      return { type: "settings", settings: readSettings(body, 0) };
    case ClientType.destination:
      needSize(type, body, BodySize.destination);
      return { type: "destination", handle: body.readUInt32BE(0), to: readEnd(body, 4) };
    case ClientType.forget:
      needSize(type, body, BodySize.handle);
      return { type: "forget", handle: body.readUInt32BE(0) };
    case ClientType.data:
      if (body.length < BodySize.handle) throw malformed("a message", "a frame that is too short");
      return { type: "data", handle: body.readUInt32BE(0), payload: body.subarray(BodySize.handle) };
    case ClientType.cancel:
      if (body.length === 0) return { type: "cancel", to: undefined };
      needSize(type, body, END_SIZE);
      return { type: "cancel", to: readEnd(body, 0) };
    case ClientType.read:
      needSize(type, body, BodySize.read);
      return { type: "read", messages: body.readUInt32BE(0) };
    case ClientType.info: {
      needSize(type, body, BodySize.info);
      const list = LISTS[body.readUInt8(4)];
      if (list === undefined) throw malformed("a question", `list ${String(body.readUInt8(4))}`);
      return { type: "info", request: body.readUInt32BE(0), list };
    }
    default:
      throw malformed("a frame", `type ${String(type)}`);
  }
}

function numberFrame(type: number, value: number): Buffer {
  const buf = frameOf(type, 4);
  buf.writeUInt32BE(value, HEADER_SIZE);
  return buf;
}

/** Throws for a body of another size. */
export function needSize(type: number, body: Buffer, size: number): void {
  if (body.length === size) return;
  throw malformed(`a frame of type ${String(type)}`, `${String(body.length)} bytes, not ${String(size)}`);
}

function writeSettings(buf: Buffer, at: number, settings: AttachSettings): void {
  const { sendBufferSize, receiveBufferSize, timestamps, monitors, connected } = settings;
  buf.writeUInt32BE(sendBufferSize, at);
  buf.writeUInt32BE(receiveBufferSize, at + 4);
  const flags = (timestamps ? TIMESTAMPS : 0) | (monitors ? MONITORS : 0) | (connected === undefined ? 0 : CONNECTED);
  buf.writeUInt8(flags, at + 8);
  if (connected !== undefined) writeEnd(buf, at + 12, connected);
}

function readSettings(buf: Buffer, at: number): AttachSettings {
  const flags = buf.readUInt8(at + 8);
  if (flags > 7) throw malformed("settings", `flags ${String(flags)}`);
  return {
    sendBufferSize: buf.readUInt32BE(at),
    receiveBufferSize: buf.readUInt32BE(at + 4),
    timestamps: (flags & TIMESTAMPS) !== 0,
    monitors: (flags & MONITORS) !== 0,
    connected: (flags & CONNECTED) === 0 ? undefined : readEnd(buf, at + 12),
  };
}
