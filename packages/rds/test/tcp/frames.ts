import { decodeHeader, encodeHeader, type MessageHeader } from "../../src/wire/header.js";

/** A frame as it came over the wire. */
export interface Frame extends MessageHeader {
  readonly payload: Buffer;
  /** All bytes of the header. */
  readonly raw: Buffer;
}

/** What a script says of a frame it sends; the rest is 0. */
export interface FrameSpec {
  readonly sequence?: number;
  readonly sport?: number;
  readonly dport?: number;
  readonly flags?: number;
  readonly payload?: Buffer | string;
  /** Hex, at most 16 bytes. */
  readonly extensions?: string;
  readonly checksum?: number;
  /** Another length than the payload's. */
  readonly length?: number;
}

/** The bytes of a frame. */
export function frame(spec: FrameSpec): Buffer {
  const payload = Buffer.from(spec.payload ?? "");
  const bytes = Buffer.alloc(48 + payload.length);
  encodeHeader(bytes, 0, {
    sequence: spec.sequence ?? 0,
    length: spec.length ?? payload.length,
    sourcePort: spec.sport ?? 0,
    destinationPort: spec.dport ?? 0,
    flags: spec.flags ?? 0,
    extensions: Buffer.from(spec.extensions ?? "", "hex"),
  });
  if (spec.checksum !== undefined) bytes.writeUInt16BE(spec.checksum, 30);
  payload.copy(bytes, 48);
  return bytes;
}

/** A congestion map with bits at these ports. */
export function mapFrame(...ports: readonly number[]): Buffer {
  const bits = Buffer.alloc(8192);
  for (const port of ports) bits[port >> 3] = (bits[port >> 3] ?? 0) | (1 << (port & 7));
  return frame({ flags: 1, payload: bits });
}

/** The probe and its answer, with NPATHS. */
export const probe = (sequence: number, npaths = "0001"): Buffer =>
  frame({ sequence, sport: 1, dport: 0, extensions: `05${npaths}` });
export const probeAnswer = (sequence: number): Buffer => frame({ sequence, sport: 0, dport: 1, extensions: "050001" });

/** Cuts bytes into frames; gives the rest back. */
export function cutFrames(bytes: Buffer): { readonly frames: readonly Frame[]; readonly rest: Buffer } {
  const frames: Frame[] = [];
  let at = 0;
  while (bytes.length - at >= 48) {
    const header = decodeHeader(bytes, at);
    const end = at + 48 + header.length;
    if (end > bytes.length) break;
    frames.push({
      ...header,
      raw: Buffer.from(bytes.subarray(at, at + 48)),
      payload: Buffer.from(bytes.subarray(at + 48, end)),
    });
    at = end;
  }
  return { frames, rest: Buffer.from(bytes.subarray(at)) };
}
