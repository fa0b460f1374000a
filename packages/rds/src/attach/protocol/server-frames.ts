import type { DatagramAddress, DatagramErrno, ReceivedMessage } from "@verbena/core/sdk";
import { needSize } from "./client-frames.js";
import { readEnd, writeEnd } from "./end-codec.js";
import { frameOf } from "./frame-parts.js";
import { BodySize, END_SIZE, ERRNOS, HEADER_SIZE, MAX_INFO_PART, MAX_TEXT, ServerType } from "./layout.js";
import { malformed } from "./malformed.js";

/** What a stack lets an attached process do. */
export interface AttachLimits {
  /** Longest message, payload bytes. */
  readonly maxMessageSize: number;
  /** Largest `sendBufferSize` and `receiveBufferSize`, payload bytes. */
  readonly maxBufferSize: number;
  /** Messages sent and not acknowledged, per socket. */
  readonly maxMessages: number;
  /** Destinations that have a number at one time, per socket. */
  readonly maxDestinations: number;
  /** Whether an empty message needs room in the send queue, as on Linux. */
  readonly emptyNeedsRoom: boolean;
}

/** What a destination is like: its port takes messages, or is congested; or there are too many peers for it to be one. */
export type DestinationState = "free" | "congested" | "no-room";

/** What the stack says to a process. */
export type ServerFrame =
  | { readonly type: "welcome"; readonly limits: AttachLimits }
  | { readonly type: "bound"; readonly local: DatagramAddress; readonly transport: string }
  | { readonly type: "refused"; readonly errno: DatagramErrno | undefined; readonly reason: string }
  | { readonly type: "message"; readonly message: ReceivedMessage }
  /** So many messages, of so many payload bytes in all, have been acknowledged or cancelled. */
  | { readonly type: "released"; readonly messages: number; readonly bytes: number }
  | { readonly type: "state"; readonly handle: number; readonly state: DestinationState }
  /** Ports of some map have become free, folded to 64 bits. */
  | { readonly type: "freed"; readonly ports: bigint }
  /** A piece of a list in JSON, or of why there is none. */
  | { readonly type: "info"; readonly request: number; readonly isLast: boolean; readonly bytes: Buffer }
  /** The last frame: why the stack ends the connection. */
  | { readonly type: "end"; readonly reason: string };

const STATES: readonly DestinationState[] = ["free", "congested", "no-room"];
const STAMPED = 1;

/** Writes frames of the stack. */
export const serverFrame = {
  welcome({ maxMessageSize, maxBufferSize, maxMessages, maxDestinations, emptyNeedsRoom }: AttachLimits): Buffer {
    const buf = frameOf(ServerType.welcome, BodySize.welcome);
    buf.writeUInt32BE(maxMessageSize, HEADER_SIZE);
    buf.writeUInt32BE(maxBufferSize, HEADER_SIZE + 4);
    buf.writeUInt32BE(maxMessages, HEADER_SIZE + 8);
    buf.writeUInt32BE(maxDestinations, HEADER_SIZE + 12);
    buf.writeUInt8(emptyNeedsRoom ? 1 : 0, HEADER_SIZE + 16);
    return buf;
  },
  bound(local: DatagramAddress, transport: string): Buffer {
    const name = textOf(transport);
    const buf = frameOf(ServerType.bound, END_SIZE, name.length);
    writeEnd(buf, HEADER_SIZE, local);
    return Buffer.concat([buf, name]);
  },
  refused(errno: DatagramErrno | undefined, reason: string): Buffer {
    const text = textOf(reason);
    const buf = frameOf(ServerType.refused, 1, text.length);
    buf.writeUInt8(Math.max(0, ERRNOS.indexOf(errno)), HEADER_SIZE);
    return Buffer.concat([buf, text]);
  },
  /** The piece in front of the payload. */
  message({ source, length, control }: ReceivedMessage): Buffer {
    const buf = frameOf(ServerType.message, BodySize.message, length);
    const stamp = control.find(({ type }) => type === "timestamp");
    if (stamp?.type === "timestamp") {
      buf.writeUInt8(STAMPED, HEADER_SIZE);
      buf.writeBigUInt64BE(BigInt.asUintN(64, stamp.ns), HEADER_SIZE + 4);
    }
    writeEnd(buf, HEADER_SIZE + 12, source);
    return buf;
  },
  released(messages: number, bytes: number): Buffer {
    const buf = frameOf(ServerType.released, BodySize.released);
    buf.writeUInt32BE(messages, HEADER_SIZE);
    buf.writeUInt32BE(bytes, HEADER_SIZE + 4);
    return buf;
  },
  state(handle: number, state: DestinationState): Buffer {
    const buf = frameOf(ServerType.state, BodySize.state);
    buf.writeUInt32BE(handle, HEADER_SIZE);
    buf.writeUInt8(STATES.indexOf(state), HEADER_SIZE + 4);
    return buf;
  },
  freed(ports: bigint): Buffer {
    const buf = frameOf(ServerType.freed, BodySize.freed);
    buf.writeBigUInt64BE(ports, HEADER_SIZE);
    return buf;
  },
  infoPart(request: number, isLast: boolean, bytes: Buffer): Buffer {
    const buf = frameOf(ServerType.info, BodySize.infoPart, bytes.length);
    buf.writeUInt32BE(request, HEADER_SIZE);
    buf.writeUInt8(isLast ? 1 : 0, HEADER_SIZE + 4);
    return Buffer.concat([buf, bytes]);
  },
  end(reason: string): Buffer {
    const text = textOf(reason);
    return Buffer.concat([frameOf(ServerType.end, 0, text.length), text]);
  },
};

/** Bytes that the body of the stack's frame may have at most. */
export function serverLimit(type: number, maxMessageSize: number): number | undefined {
  return type === ServerType.message ? BodySize.message + maxMessageSize : LIMITS.get(type);
}

const LIMITS: ReadonlyMap<number, number> = new Map([
  [ServerType.welcome, BodySize.welcome],
  [ServerType.bound, END_SIZE + MAX_TEXT],
  [ServerType.refused, 1 + MAX_TEXT],
  [ServerType.released, BodySize.released],
  [ServerType.state, BodySize.state],
  [ServerType.freed, BodySize.freed],
  [ServerType.info, BodySize.infoPart + MAX_INFO_PART],
  [ServerType.end, MAX_TEXT],
]);

/** Reads a frame of the stack. Throws `VERBENA_RDS_ATTACH_MALFORMED`. */
export function readServerFrame(type: number, body: Buffer): ServerFrame {
  switch (type) {
    case ServerType.welcome:
      needSize(type, body, BodySize.welcome);
      return { type: "welcome", limits: readLimits(body) };
    case ServerType.bound:
      needAtLeast(type, body, END_SIZE);
      return { type: "bound", local: readEnd(body, 0), transport: body.toString("utf8", END_SIZE) };
    case ServerType.refused:
      needAtLeast(type, body, 1);
      return { type: "refused", errno: ERRNOS[body.readUInt8(0)], reason: body.toString("utf8", 1) };
    case ServerType.message:
      needAtLeast(type, body, BodySize.message);
      return { type: "message", message: readMessage(body) };
    case ServerType.released:
      needSize(type, body, BodySize.released);
      return { type: "released", messages: body.readUInt32BE(0), bytes: body.readUInt32BE(4) };
    case ServerType.state: {
      needSize(type, body, BodySize.state);
      const state = STATES[body.readUInt8(4)];
      if (state === undefined) throw malformed("a destination's state", String(body.readUInt8(4)));
      return { type: "state", handle: body.readUInt32BE(0), state };
    }
    case ServerType.freed:
      needSize(type, body, BodySize.freed);
      return { type: "freed", ports: body.readBigUInt64BE(0) };
    case ServerType.info:
      needAtLeast(type, body, BodySize.infoPart);
      return {
        type: "info",
        request: body.readUInt32BE(0),
        isLast: body.readUInt8(4) !== 0,
        bytes: body.subarray(BodySize.infoPart),
      };
    case ServerType.end:
      return { type: "end", reason: body.toString("utf8") };
    default:
      throw malformed("a frame", `type ${String(type)}`);
  }
}

function readLimits(body: Buffer): AttachLimits {
  return {
    maxMessageSize: body.readUInt32BE(0),
    maxBufferSize: body.readUInt32BE(4),
    maxMessages: body.readUInt32BE(8),
    maxDestinations: Math.max(1, body.readUInt32BE(12)),
    emptyNeedsRoom: body.readUInt8(16) !== 0,
  };
}

function readMessage(body: Buffer): ReceivedMessage {
  const data = body.subarray(BodySize.message);
  const isStamped = (body.readUInt8(0) & STAMPED) !== 0;
  return {
    type: "message",
    data,
    length: data.length,
    source: readEnd(body, 12),
    control: isStamped ? [{ type: "timestamp", ns: body.readBigUInt64BE(4) }] : [],
  };
}

function needAtLeast(type: number, body: Buffer, size: number): void {
  if (body.length >= size) return;
  throw malformed(`a frame of type ${String(type)}`, `${String(body.length)} bytes, at least ${String(size)}`);
}

const textOf = (text: string): Buffer => Buffer.from(text, "utf8").subarray(0, MAX_TEXT);
