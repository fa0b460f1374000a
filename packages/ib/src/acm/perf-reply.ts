import { badValue, checkU64, malformed } from "../wire/check.js";
import { ACM_COUNTER_COUNT, ACM_HEADER_SIZE, ACM_OPCODE } from "./constants.js";
import { type AcmHeader, decodeAcmReplyHeader, writeAcmHeader } from "./header.js";

/** What {@link encodePerfReply} needs. */
export interface PerfReplyFields {
  readonly tid: bigint;
  /** Echo of the request's byte 4. */
  readonly endpointIndex: number;
  /** In the order of `ACM_COUNTERS`; stock clients cope with seven at most. */
  readonly counters: readonly (bigint | number)[];
}

/** A decoded PERF reply. */
export interface AcmPerfReply {
  readonly header: AcmHeader;
  readonly status: number;
  readonly endpointIndex: number;
  /** In the order of `ACM_COUNTERS`; empty if the status is not 0. */
  readonly counters: readonly bigint[];
}

/** Encodes a PERF reply: 16 + 8 n bytes, everything big-endian. Throws `VERBENA_IB_VALUE`. */
export function encodePerfReply(reply: PerfReplyFields): Buffer {
  const { counters } = reply;
  if (counters.length > ACM_COUNTER_COUNT) throw badValue("AcmPerfReply.counters.length", counters.length, "0…7");
  const buf = Buffer.alloc(ACM_HEADER_SIZE + counters.length * 8);
  writeAcmHeader(buf, {
    opcode: ACM_OPCODE.PERF_QUERY | ACM_OPCODE.ACK,
    length: buf.length,
    tid: reply.tid,
    data0: counters.length,
    data1: reply.endpointIndex,
  });
  for (const [i, counter] of counters.entries()) {
    if (typeof counter === "number" && !Number.isSafeInteger(counter)) {
      throw badValue("AcmPerfReply.counter", counter, "an integer");
    }
    buf.writeBigUInt64BE(checkU64(BigInt(counter), "AcmPerfReply.counter"), ACM_HEADER_SIZE + i * 8);
  }
  return buf;
}

/**
 * Decodes a PERF reply, also an error reply without counters. Throws `VERBENA_IB_MALFORMED` if the length field differs from the
 * number of bytes or the counters do not fit.
 */
export function decodePerfReply(buf: Buffer): AcmPerfReply {
  const header = decodeAcmReplyHeader(buf);
  if ((header.opcode & ACM_OPCODE.MASK) !== ACM_OPCODE.PERF_QUERY) {
    throw malformed("AcmPerfReply", "opcode 0x02 or 0x82", `opcode ${header.opcode}`);
  }
  if (header.length !== buf.length) throw malformed("AcmPerfReply", `${header.length} bytes`, `${buf.length} bytes`);
  const count = header.status === 0 ? header.data0 : 0;
  if (ACM_HEADER_SIZE + count * 8 > buf.length)
    throw malformed("AcmPerfReply", `${count} counters`, `${buf.length} bytes`);
  const counters: bigint[] = [];
  for (let i = 0; i < count; i++) counters.push(buf.readBigUInt64BE(ACM_HEADER_SIZE + i * 8));
  return { header, status: header.status, endpointIndex: header.data1, counters };
}
