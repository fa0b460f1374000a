import type { AcmReplyPath } from "../acm/resolve-reply.js";
import { decodePathRecord, PATH_RECORD_SIZE, writePathRecord } from "../record/path-record.js";
import { Gid } from "../value/gid.js";
import { checkUint, malformed } from "../wire/check.js";
import { readU32Host, writeU32Host } from "../wire/host-order.js";
import { decodeNetlinkAttributes, netlinkAttributeSize, writeNetlinkAttribute } from "./attributes.js";
import { NETLINK_HEADER_SIZE, NetlinkLs, NetlinkLsAttribute } from "./constants.js";
import { decodeNetlinkHeader, type NetlinkHeader, writeNetlinkHeader } from "./header.js";

/** What every answer says: the request's sequence number and the own process id. */
export interface NetlinkAnswerFields {
  readonly sequence: number;
  readonly pid: number;
}

/** Path flags of an answer to a UNIDIRECTIONAL request: PRIMARY and OUTBOUND. Others get `ACM_PATH_FLAG.ANSWER`. */
export const NETLINK_UNIDIRECTIONAL_FLAGS = 0x0a;

const PATH_PAYLOAD = 8 + PATH_RECORD_SIZE;

/**
 * Encodes the answer to a RESOLVE: 16 + 76 bytes for each path (flags in host order, 4 bytes reserved, path record big-endian). The
 * kernel takes up to three paths. Throws `VERBENA_IB_VALUE`.
 */
export function encodeNetlinkPathAnswer(
  answer: NetlinkAnswerFields & { readonly paths: readonly AcmReplyPath[] },
): Buffer {
  const buf = Buffer.alloc(NETLINK_HEADER_SIZE + answer.paths.length * netlinkAttributeSize(PATH_PAYLOAD));
  writeNetlinkHeader(buf, { type: NetlinkLs.RESOLVE, flags: 0, sequence: answer.sequence, pid: answer.pid });
  let at = NETLINK_HEADER_SIZE;
  for (const { flags, path } of answer.paths) {
    const payload = Buffer.alloc(PATH_PAYLOAD);
    writeU32Host(payload, 0, checkUint(flags, 0xffff_ffff, "NetlinkPathAnswer.flags"));
    writePathRecord(payload, 8, path);
    at = writeNetlinkAttribute(buf, at, { number: NetlinkLsAttribute.PATH_RECORD, isMandatory: false, payload });
  }
  return buf;
}

/** Encodes the answer to an IP_RESOLVE: 36 bytes with the GID. Throws `VERBENA_IB_VALUE`. */
export function encodeNetlinkGidAnswer(answer: NetlinkAnswerFields & { readonly gid: Gid }): Buffer {
  const payload = Buffer.alloc(Gid.SIZE);
  Gid.write(payload, 0, answer.gid);
  const buf = Buffer.alloc(NETLINK_HEADER_SIZE + netlinkAttributeSize(Gid.SIZE));
  writeNetlinkHeader(buf, { type: NetlinkLs.IP_RESOLVE, flags: 0, sequence: answer.sequence, pid: answer.pid });
  writeNetlinkAttribute(buf, NETLINK_HEADER_SIZE, { number: NetlinkLsAttribute.DGID, isMandatory: false, payload });
  return buf;
}

/** Encodes the failure message: 16 bytes with the request's type. Throws `VERBENA_IB_VALUE`. */
export function encodeNetlinkFailure(answer: NetlinkAnswerFields & { readonly type: number }): Buffer {
  const buf = Buffer.alloc(NETLINK_HEADER_SIZE);
  writeNetlinkHeader(buf, {
    type: answer.type,
    flags: NetlinkLs.FLAG_ERROR,
    sequence: answer.sequence,
    pid: answer.pid,
  });
  return buf;
}

/** A decoded answer of the local service, as the kernel reads it. */
export interface NetlinkLsAnswer {
  readonly header: NetlinkHeader;
  readonly isFailure: boolean;
  readonly paths: readonly AcmReplyPath[];
  /** Answers to IP_RESOLVE. */
  readonly gid?: Gid;
}

/** Decodes an answer that fills `buf`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeNetlinkLsAnswer(buf: Buffer): NetlinkLsAnswer {
  const header = decodeNetlinkHeader(buf);
  if (header.length !== buf.length) throw malformed("NetlinkLsAnswer", `${header.length} bytes`, `${buf.length} bytes`);
  const paths: AcmReplyPath[] = [];
  let gid: Gid | undefined;
  for (const { number, payload } of decodeNetlinkAttributes(buf, NETLINK_HEADER_SIZE)) {
    if (number === NetlinkLsAttribute.PATH_RECORD) {
      paths.push({ flags: readU32Host(payload, 0), path: decodePathRecord(payload, 8) });
    } else if (number === NetlinkLsAttribute.DGID) gid = Gid.read(payload, 0);
  }
  const isFailure = (header.flags & NetlinkLs.FLAG_ERROR) !== 0;
  return { header, isFailure, paths, ...(gid === undefined ? {} : { gid }) };
}
