import { FRAME_HEADER_SIZE, MAX_FRAME } from "./protocol.js";

/** One message of the attach protocol, still encoded. `body` is a view of a buffer that nobody else writes. */
export interface Frame {
  readonly type: number;
  readonly tag: number;
  readonly body: Buffer;
}

/** Raised inside the attach layer when a program breaks the protocol; it ends that program's session and nothing else. */
export class ProtocolViolation extends Error {}

/** Encodes one frame: u32 length of what follows, u16 type, u16 zero, u32 tag, body; little-endian. */
export function encodeFrame(type: number, tag: number, body: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_SIZE + body.length);
  writeFrameHeader(frame, 0, type, tag, body.length);
  body.copy(frame, FRAME_HEADER_SIZE);
  return frame;
}

/** Writes what comes before a body of `bodyLength` bytes. */
export function writeFrameHeader(to: Buffer, offset: number, type: number, tag: number, bodyLength: number): void {
  to.writeUInt32LE(FRAME_HEADER_SIZE - 4 + bodyLength, offset);
  to.writeUInt16LE(type, offset + 4);
  to.writeUInt16LE(0, offset + 6);
  to.writeUInt32LE(tag, offset + 8);
}

/** Cuts a byte stream into frames. */
export class FrameReader {
  private pending: Buffer = Buffer.alloc(0);

  /**
   * Adds what the stream brought and yields the frames that are complete now.
   *
   * @throws ProtocolViolation on a length that no frame can have; the stream is useless after that.
   */
  *push(chunk: Buffer): Generator<Frame> {
    let data = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    while (data.length >= 4) {
      const length = data.readUInt32LE(0);
      if (length < FRAME_HEADER_SIZE - 4 || length > MAX_FRAME) throw new ProtocolViolation(`frame of ${length} bytes`);
      if (data.length < 4 + length) break;
      yield {
        type: data.readUInt16LE(4),
        tag: data.readUInt32LE(8),
        body: data.subarray(FRAME_HEADER_SIZE, 4 + length),
      };
      data = data.subarray(4 + length);
    }
    this.pending = data;
  }
}
