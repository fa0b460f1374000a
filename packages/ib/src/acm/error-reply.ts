import { ACM_HEADER_SIZE } from "./constants.js";
import { writeAcmHeader } from "./header.js";

/** What {@link encodeAcmErrorReply} needs. */
export interface AcmErrorReplyFields {
  /** Opcode of the reply, with the ACK bit where it belongs. */
  readonly opcode: number;
  readonly status: number;
  readonly tid: bigint;
  /** Endpoint replies: echo of the index. */
  readonly data0?: number;
  /** PERF replies: echo of the index. */
  readonly data1?: number;
}

/** Encodes a reply of any kind that is a header only: 16 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeAcmErrorReply(reply: AcmErrorReplyFields): Buffer {
  const buf = Buffer.alloc(ACM_HEADER_SIZE);
  writeAcmHeader(buf, { ...reply, length: ACM_HEADER_SIZE });
  return buf;
}
