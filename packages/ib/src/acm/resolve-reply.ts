import { decodePathRecord, type PathRecord } from "../record/path-record.js";
import { badValue, malformed } from "../wire/check.js";
import {
  type AcmAddressRecord,
  decodeAcmAddressRecord,
  writeAcmAddressRecord,
  writeAcmPathRecord,
} from "./address-record.js";
import {
  ACM_FLAG,
  ACM_HEADER_SIZE,
  ACM_MAX_RECORDS,
  ACM_OPCODE,
  ACM_PATH_FLAG,
  ACM_RECORD_SIZE,
  ACM_TYPE,
} from "./constants.js";
import { type AcmHeader, decodeAcmReplyHeader, writeAcmHeader } from "./header.js";

/** A path in a RESOLVE reply. */
export interface AcmReplyPath {
  /** See `ACM_PATH_FLAG`; ordinary answers carry `ANSWER`. */
  readonly flags: number;
  readonly path: PathRecord;
}

/** What {@link encodeResolveReply} needs. Paths come first, then the other records. */
export interface ResolveReplyFields {
  /** Default RESOLVE; errors of the core and QUERY_SA answers have the ACK bit. */
  readonly opcode?: number;
  readonly status?: number;
  readonly tid: bigint;
  /** Flags default to `ACM_PATH_FLAG.ANSWER`. */
  readonly paths?: readonly (Pick<AcmReplyPath, "path"> & Partial<AcmReplyPath>)[];
  /** For instance the source that the daemon chose. */
  readonly records?: readonly AcmAddressRecord[];
}

/** A decoded RESOLVE reply. */
export interface AcmResolveReply {
  readonly header: AcmHeader;
  readonly status: number;
  /** The PATH records, in order. */
  readonly paths: readonly AcmReplyPath[];
  /** The source that the daemon chose, if it says one. */
  readonly source?: AcmAddressRecord;
  /** All records as they came. */
  readonly records: readonly AcmAddressRecord[];
}

/** Encodes a RESOLVE reply: 16 + 72 n bytes, length in host order. It is to be written in one piece. Throws `VERBENA_IB_VALUE`. */
export function encodeResolveReply(reply: ResolveReplyFields): Buffer {
  const paths = reply.paths ?? [];
  const records = reply.records ?? [];
  const count = paths.length + records.length;
  if (count > ACM_MAX_RECORDS) throw badValue("AcmResolveReply.records.length", count, "0…8");
  const buf = Buffer.alloc(ACM_HEADER_SIZE + count * ACM_RECORD_SIZE);
  writeAcmHeader(buf, {
    opcode: reply.opcode ?? ACM_OPCODE.RESOLVE,
    status: reply.status ?? 0,
    length: buf.length,
    tid: reply.tid,
  });
  let at = ACM_HEADER_SIZE;
  for (const { flags, path } of paths) {
    writeAcmPathRecord(buf, at, flags ?? ACM_PATH_FLAG.ANSWER, path);
    at += ACM_RECORD_SIZE;
  }
  for (const record of records) {
    writeAcmAddressRecord(buf, at, record);
    at += ACM_RECORD_SIZE;
  }
  return buf;
}

/**
 * Decodes a RESOLVE reply, also an error reply without records. The ACK bit and the version are not judged, as stock clients do
 * not. Throws `VERBENA_IB_MALFORMED` if the length field differs from the number of bytes or is no whole number of records.
 */
export function decodeResolveReply(buf: Buffer): AcmResolveReply {
  const header = decodeAcmReplyHeader(buf);
  if ((header.opcode & ACM_OPCODE.MASK) !== ACM_OPCODE.RESOLVE) {
    throw malformed("AcmResolveReply", "opcode 0x01 or 0x81", `opcode ${header.opcode}`);
  }
  if (header.length !== buf.length) throw malformed("AcmResolveReply", `${header.length} bytes`, `${buf.length} bytes`);
  const body = buf.length - ACM_HEADER_SIZE;
  if (body % ACM_RECORD_SIZE !== 0) throw malformed("AcmResolveReply", "16 + 72 n bytes", `${buf.length} bytes`);
  const records: AcmAddressRecord[] = [];
  const paths: AcmReplyPath[] = [];
  let source: AcmAddressRecord | undefined;
  for (let at = ACM_HEADER_SIZE; at < buf.length; at += ACM_RECORD_SIZE) {
    const record = decodeAcmAddressRecord(buf, at);
    records.push(record);
    if (record.type === ACM_TYPE.PATH) paths.push({ flags: record.flags, path: decodePathRecord(record.info) });
    else if ((record.flags & ACM_FLAG.SOURCE) !== 0) source ??= record;
  }
  return { header, status: header.status, paths, records, ...(source === undefined ? {} : { source }) };
}
