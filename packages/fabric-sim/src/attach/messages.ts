import type { PortEventName } from "./attach-host.js";
import { encodeFrame, type Frame, ProtocolViolation, writeFrameHeader } from "./frame.js";
import { EVENT_NUMBERS, FRAME_HEADER_SIZE, HELLO_MAGIC, MessageType, PROTOCOL_VERSION, REPLY_BIT } from "./protocol.js";

/** HELLO: who attaches, and as which nodes. */
export interface Hello {
  readonly version: number;
  readonly pid: number;
  /** Comma list, as in `FABRICSIM_NODE`. */
  readonly nodes: string;
  /** Name of the program, for status output only. */
  readonly program: string;
}

/** REGISTER_AGENT, fields as the kernel's registration request has them. */
export interface RegisterAgent {
  readonly portHandle: number;
  /** 0 or 1. */
  readonly qpn: number;
  /** 0: the agent gets no requests, only answers to what it sends. */
  readonly managementClass: number;
  readonly classVersion: number;
  /** 0 or 1. */
  readonly rmppVersion: number;
  /** 24 bits; used for classes 0x30…0x4f. */
  readonly oui: number;
  /** Bit n: the agent takes requests of method n. 128 bits. */
  readonly methods: bigint;
}

/** Bytes of a DATA body before the packet: HCA index, port, zeros. */
export const DATA_HEAD_SIZE = 8;

/** Any message from a program, decoded. */
export type ClientMessage =
  | { readonly type: "hello"; readonly tag: number; readonly hello: Hello }
  | { readonly type: "open-port"; readonly tag: number; readonly hcaIndex: number; readonly portNumber: number }
  | { readonly type: "close-port"; readonly tag: number; readonly portHandle: number }
  | { readonly type: "register-agent"; readonly tag: number; readonly request: RegisterAgent }
  | { readonly type: "unregister-agent"; readonly tag: number; readonly agentId: number }
  | { readonly type: "packet"; readonly portHandle: number; readonly packet: Buffer }
  | {
      readonly type: "set-issm";
      readonly tag: number;
      readonly hcaIndex: number;
      readonly portNumber: number;
      readonly isOn: boolean;
    }
  | {
      readonly type: "reserve";
      readonly tag: number;
      readonly hcaIndex: number;
      /** One of `NumberKind`. */
      readonly kind: number;
      readonly count: number;
    }
  | { readonly type: "data"; readonly hcaIndex: number; readonly portNumber: number; readonly packet: Buffer }
  | {
      readonly type: "multicast";
      readonly tag: number;
      readonly isAttach: boolean;
      readonly hcaIndex: number;
      /** 16 bytes. */
      readonly mgid: Buffer;
    }
  | {
      readonly type: "violation";
      readonly hcaIndex: number;
      readonly portNumber: number;
      /** One of `ViolationKind`. */
      readonly kind: number;
    }
  | { readonly type: "sync"; readonly tag: number };

/**
 * Decodes a message from a program.
 *
 * @throws ProtocolViolation on an unknown type, a wrong length or a wrong magic number.
 */
export function decodeClientMessage({ type, tag, body }: Frame): ClientMessage {
  switch (type) {
    case MessageType.HELLO:
      return { type: "hello", tag, hello: decodeHello(body) };
    case MessageType.OPEN_PORT:
      exactly(body, 8);
      return { type: "open-port", tag, hcaIndex: body.readUInt32LE(0), portNumber: body.readUInt8(4) };
    case MessageType.CLOSE_PORT:
      exactly(body, 4);
      return { type: "close-port", tag, portHandle: body.readUInt32LE(0) };
    case MessageType.REGISTER_AGENT:
      return { type: "register-agent", tag, request: decodeRegisterAgent(body) };
    case MessageType.UNREGISTER_AGENT:
      exactly(body, 4);
      return { type: "unregister-agent", tag, agentId: body.readUInt32LE(0) };
    case MessageType.PACKET:
      atLeast(body, 4);
      return { type: "packet", portHandle: body.readUInt32LE(0), packet: body.subarray(4) };
    case MessageType.SET_ISSM:
      exactly(body, 8);
      return {
        type: "set-issm",
        tag,
        hcaIndex: body.readUInt32LE(0),
        portNumber: body.readUInt8(4),
        isOn: body.readUInt8(5) !== 0,
      };
    case MessageType.RESERVE:
      exactly(body, 8);
      return {
        type: "reserve",
        tag,
        hcaIndex: body.readUInt32LE(0),
        kind: body.readUInt8(4),
        count: body.readUInt16LE(6),
      };
    case MessageType.DATA:
      atLeast(body, DATA_HEAD_SIZE);
      return {
        type: "data",
        hcaIndex: body.readUInt32LE(0),
        portNumber: body.readUInt8(4),
        packet: body.subarray(DATA_HEAD_SIZE),
      };
    case MessageType.ATTACH_MULTICAST:
    case MessageType.DETACH_MULTICAST:
      exactly(body, 20);
      return {
        type: "multicast",
        tag,
        isAttach: type === MessageType.ATTACH_MULTICAST,
        hcaIndex: body.readUInt32LE(0),
        mgid: body.subarray(4),
      };
    case MessageType.VIOLATION:
      exactly(body, 8);
      return {
        type: "violation",
        hcaIndex: body.readUInt32LE(0),
        portNumber: body.readUInt8(4),
        kind: body.readUInt8(5),
      };
    case MessageType.SYNC:
      exactly(body, 0);
      return { type: "sync", tag };
    default:
      throw new ProtocolViolation(`message type ${type}`);
  }
}

/** Reply with nothing but an errno value (0 = done) and, for HELLO refusals, a text. */
export function encodeStatusReply(type: number, tag: number, status: number, text?: string): Buffer {
  const head = Buffer.alloc(4);
  head.writeInt32LE(status, 0);
  return encodeFrame(type | REPLY_BIT, tag, text === undefined ? head : Buffer.concat([head, encodeText(text)]));
}

/** Reply that carries one number after status 0: a port handle, an agent id, the first of a block. */
export function encodeValueReply(type: number, tag: number, value: number): Buffer {
  const body = Buffer.alloc(8);
  body.writeUInt32LE(value, 4);
  return encodeFrame(type | REPLY_BIT, tag, body);
}

/** Reply to an accepted HELLO: protocol version and, for each HCA of the program, its index and the name of its state page. */
export function encodeHelloReply(tag: number, hcas: readonly { index: number; pageName: string }[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16LE(PROTOCOL_VERSION, 4);
  head.writeUInt16LE(hcas.length, 6);
  const parts: Buffer[] = [head];
  for (const { index, pageName } of hcas) {
    const number = Buffer.alloc(4);
    number.writeUInt32LE(index, 0);
    parts.push(number, encodeText(pageName));
  }
  return encodeFrame(MessageType.HELLO | REPLY_BIT, tag, Buffer.concat(parts));
}

/** A packet for one agent. */
export function encodePacketForAgent(agentId: number, packet: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(agentId, 0);
  return encodeFrame(MessageType.PACKET, 0, Buffer.concat([head, packet]));
}

/** Bytes of a DATA frame that carries `packet`. */
export function dataFrameSize(packet: Buffer): number {
  return FRAME_HEADER_SIZE + DATA_HEAD_SIZE + packet.length;
}

/** Writes a DATA frame at `offset`, where there is room for it: a packet that arrived at a port of an HCA. */
export function writeDataFrame(to: Buffer, offset: number, hcaIndex: number, portNumber: number, packet: Buffer): void {
  writeFrameHeader(to, offset, MessageType.DATA, 0, DATA_HEAD_SIZE + packet.length);
  const at = offset + FRAME_HEADER_SIZE;
  to.writeUInt32LE(hcaIndex, at);
  to.writeUInt32LE(portNumber, at + 4);
  packet.copy(to, at + DATA_HEAD_SIZE);
}

/** An asynchronous event of an HCA; `portNumber` is 0 for `device-fatal`. */
export function encodeAsyncEvent(hcaIndex: number, event: PortEventName, portNumber: number): Buffer {
  const body = Buffer.alloc(8);
  body.writeUInt32LE(hcaIndex, 0);
  body.writeUInt8(EVENT_NUMBERS[event], 4);
  body.writeUInt8(portNumber, 5);
  return encodeFrame(MessageType.ASYNC_EVENT, 0, body);
}

function decodeHello(body: Buffer): Hello {
  atLeast(body, 12);
  if (body.readUInt32LE(0) !== HELLO_MAGIC) throw new ProtocolViolation("no HELLO magic");
  // Another version may have another layout from here on, so it is looked at no further.
  const version = body.readUInt16LE(4);
  if (version !== PROTOCOL_VERSION) return { version, pid: 0, nodes: "", program: "" };
  const nodes = decodeText(body, 12);
  const program = decodeText(body, nodes.end);
  exactly(body, program.end);
  return { version, pid: body.readUInt32LE(8), nodes: nodes.text, program: program.text };
}

function decodeRegisterAgent(body: Buffer): RegisterAgent {
  exactly(body, 28);
  return {
    portHandle: body.readUInt32LE(0),
    qpn: body.readUInt8(4),
    managementClass: body.readUInt8(5),
    classVersion: body.readUInt8(6),
    rmppVersion: body.readUInt8(7),
    oui: body.readUInt32LE(8),
    methods: body.readBigUInt64LE(12) | (body.readBigUInt64LE(20) << 64n),
  };
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  const length = Buffer.alloc(2);
  length.writeUInt16LE(bytes.length, 0);
  return Buffer.concat([length, bytes]);
}

function decodeText(body: Buffer, offset: number): { text: string; end: number } {
  atLeast(body, offset + 2);
  const end = offset + 2 + body.readUInt16LE(offset);
  atLeast(body, end);
  return { text: body.toString("utf8", offset + 2, end), end };
}

function exactly(body: Buffer, length: number): void {
  if (body.length !== length) throw new ProtocolViolation(`body of ${body.length} bytes instead of ${length}`);
}

function atLeast(body: Buffer, length: number): void {
  if (body.length < length) throw new ProtocolViolation(`body of ${body.length} bytes, at least ${length} needed`);
}
