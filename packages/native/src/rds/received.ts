import type { KernelRdsControl, KernelRdsMessage } from "../api/rds.js";
import { IS_LITTLE, readHost32 } from "../host-order.js";
import type { SocketAddresses } from "./socket-address.js";

// The block that the addon fills: records at its start, each 64 bytes (offset, copied, length, flags, bytes of the name, 28 bytes of name,
// offset and size of control messages, 8 reserved), and behind them what they point at. A control message: level, type, size, 4 reserved,
// then its data, padded to 8. All in host order; src/cc/rds/records.h is the other half of this.
const RECORD_SIZE = 64;
const CONTROL_HEAD = 16;

const [MSG_CTRUNC, MSG_TRUNC] = [0x08, 0x20];
const NO_CONTROL: readonly KernelRdsControl[] = [];

/** Bytes of a block for `records` messages of which the first may have `bytes`, with control messages of at most `control` bytes each. */
export function blockSize(records: number, bytes: number, control: number): number {
  return records * (RECORD_SIZE + 2 * control + 8) + bytes;
}

/** The message of one record. Its data is a copy: the block is used again. */
export function readMessage(block: Buffer, index: number, addresses: SocketAddresses): KernelRdsMessage {
  const at = index * RECORD_SIZE;
  const offset = readHost32(block, at);
  const flags = readHost32(block, at + 12);
  const nameSize = readHost32(block, at + 16);
  const source = nameSize === 0 ? undefined : addresses.decode(block.subarray(at + 20, at + 20 + nameSize));
  return {
    data: Buffer.from(block.subarray(offset, offset + readHost32(block, at + 4))),
    length: readHost32(block, at + 8),
    ...(source === undefined ? {} : { source }),
    isTruncated: (flags & MSG_TRUNC) !== 0,
    isControlTruncated: (flags & MSG_CTRUNC) !== 0,
    control: readControl(block, readHost32(block, at + 48), readHost32(block, at + 52)),
  };
}

function readControl(block: Buffer, offset: number, size: number): readonly KernelRdsControl[] {
  if (size === 0) return NO_CONTROL;
  const out: KernelRdsControl[] = [];
  const end = offset + size;
  for (let at = offset; at < end; ) {
    const data = at + CONTROL_HEAD;
    const length = readHost32(block, at + 8);
    out.push({
      level: readHost32(block, at),
      type: readHost32(block, at + 4),
      data: Buffer.from(block.subarray(data, data + length)),
    });
    at = data + align8(length);
  }
  return out;
}

/** Control messages as `sendmsg` takes them: a chain of `cmsghdr` (64-bit length, level, type), each padded to 8. */
export function encodeControl(control: readonly KernelRdsControl[]): Buffer {
  const sizes = control.map(({ data }) => CONTROL_HEAD + align8(data.length));
  const out = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [i, { level, type, data }] of control.entries()) {
    const length = CONTROL_HEAD + data.length;
    if (IS_LITTLE) {
      out.writeBigUInt64LE(BigInt(length), at);
      out.writeInt32LE(level, at + 8);
      out.writeInt32LE(type, at + 12);
    } else {
      out.writeBigUInt64BE(BigInt(length), at);
      out.writeInt32BE(level, at + 8);
      out.writeInt32BE(type, at + 12);
    }
    data.copy(out, at + CONTROL_HEAD);
    at += sizes[i] ?? 0;
  }
  return out;
}

const align8 = (size: number): number => (size + 7) & ~7;
