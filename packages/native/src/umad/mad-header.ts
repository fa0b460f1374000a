import { Gid, Lid } from "@verbena/ib";
import type { MadAddress, UmadMessage } from "../api/umad.js";
import { readHost16, readHost32, writeHost16 } from "../host-order.js";

/** Bytes of `struct ib_user_mad`: what stands before every MAD that libibumad takes and gives (spec: acm.md 5.1). */
export const MAD_HEADER_SIZE = 64;

/** Q_Key of queue pair 1, the well-known one of all general services (IBA 13.5.3). */
export const QP1_QKEY = 0x8001_0000;

/** Puts the header for `to` before `mad`. Agent, time-out, retries and length are filled in below. Values are cut to their fields' widths. */
export function encodeMadMessage(to: MadAddress, mad: Uint8Array): Buffer {
  const out = Buffer.alloc(MAD_HEADER_SIZE + mad.length);
  out.writeUInt32BE(to.qpn >>> 0, 20);
  out.writeUInt32BE((to.qkey ?? QP1_QKEY) >>> 0, 24);
  out.writeUInt16BE(to.lid & 0xffff, 28);
  out[30] = to.sl ?? 0;
  out[31] = to.pathBits ?? 0;
  if (to.grh !== undefined) {
    out[32] = 1;
    out[33] = to.grh.gidIndex;
    out[34] = to.grh.hopLimit;
    out[35] = to.grh.trafficClass;
    Gid.write(out, 36, to.grh.gid);
    out.writeUInt32BE(to.grh.flowLabel >>> 0, 52);
  }
  // The address is in network order but for this one field.
  writeHost16(out, 56, (to.pkeyIndex ?? 0) & 0xffff);
  out.set(mad, MAD_HEADER_SIZE);
  return out;
}

function decodeAddress(buf: Buffer, at: number): MadAddress {
  const address = {
    lid: Lid.from(buf.readUInt16BE(at + 28)),
    qpn: buf.readUInt32BE(at + 20),
    qkey: buf.readUInt32BE(at + 24),
    sl: buf[at + 30] ?? 0,
    pathBits: buf[at + 31] ?? 0,
    pkeyIndex: readHost16(buf, at + 56),
  };
  if (buf[at + 32] === 0) return address;
  return {
    ...address,
    grh: {
      gid: Gid.read(buf, at + 36),
      gidIndex: buf[at + 33] ?? 0,
      hopLimit: buf[at + 34] ?? 0,
      trafficClass: buf[at + 35] ?? 0,
      flowLabel: buf.readUInt32BE(at + 52),
    },
  };
}

/** One record of a batch of the addon: the message and the agent it is for. */
export interface AddressedMessage {
  readonly agentId: number;
  readonly message: UmadMessage;
}

/** Takes a batch of `UmadPortBinding.start` apart. The MADs are views into the batch, which nobody else keeps. */
export function decodeBatch(batch: Buffer): readonly AddressedMessage[] {
  const out: AddressedMessage[] = [];
  for (let at = 0; at + MAD_HEADER_SIZE <= batch.length; ) {
    const end = at + MAD_HEADER_SIZE + readHost32(batch, at + 16);
    out.push({
      agentId: readHost32(batch, at),
      message: {
        status: readHost32(batch, at + 4),
        mad: batch.subarray(at + MAD_HEADER_SIZE, end),
        from: decodeAddress(batch, at),
      },
    });
    at = (end + 7) & ~7;
  }
  return out;
}
