import { badValue, malformed } from "../wire/check.js";
import { type AcmAddressRecord, decodeAcmAddressRecord, writeAcmAddressRecord } from "./address-record.js";
import {
  ACM_HEADER_SIZE,
  ACM_MAX_MESSAGE,
  ACM_MAX_RECORDS,
  ACM_OPCODE,
  ACM_RECORD_SIZE,
  ACM_VERSION,
} from "./constants.js";
import { type AcmHeader, decodeAcmHeader, writeAcmHeader } from "./header.js";

/** RESOLVE: an address or a path is wanted. Bytes 3–5 of the header are to be ignored. */
export interface AcmResolveRequest {
  readonly kind: "resolve";
  readonly header: AcmHeader;
  /** 0 to 8 records; only the first decides between path and address resolution. */
  readonly records: readonly AcmAddressRecord[];
}

/** PERF query: counters are wanted. */
export interface AcmPerfRequest {
  readonly kind: "perf";
  readonly header: AcmHeader;
  /** 0 = all together, unless a SOURCE record names an endpoint. */
  readonly endpointIndex: number;
  readonly records: readonly AcmAddressRecord[];
}

/** Endpoint query: the n-th endpoint is wanted. */
export interface AcmEndpointRequest {
  readonly kind: "endpoint";
  readonly header: AcmHeader;
  /** From 1. */
  readonly index: number;
  /** 0 = any. */
  readonly port: number;
}

/** A request of the ACM client protocol. */
export type AcmRequest = AcmResolveRequest | AcmPerfRequest | AcmEndpointRequest;

/**
 * Length that the header at `offset` announces, for framing; `undefined` while fewer than 16 bytes are there. Throws
 * `VERBENA_IB_MALFORMED` as soon as the header alone shows that no valid request can follow: wrong version, unknown operation, or a
 * length other than 16 + 72 n up to 592. The connection is to be closed then.
 */
export function acmRequestLength(buf: Buffer, offset = 0): number | undefined {
  if (buf.length - offset < ACM_HEADER_SIZE) return undefined;
  return checkedHeader(buf, offset).length;
}

function checkedHeader(buf: Buffer, offset: number): AcmHeader {
  const header = decodeAcmHeader(buf, offset);
  if (header.version !== ACM_VERSION) throw malformed("AcmRequest", "version 1", `version ${header.version}`);
  const operation = header.opcode & ACM_OPCODE.MASK;
  if (operation < ACM_OPCODE.RESOLVE || operation > ACM_OPCODE.ENDPOINT_QUERY) {
    throw malformed("AcmRequest", "operation 1, 2 or 3", `opcode ${header.opcode}`);
  }
  if (header.length > ACM_MAX_MESSAGE || (header.length - ACM_HEADER_SIZE) % ACM_RECORD_SIZE !== 0) {
    throw malformed("AcmRequest", "a length of 16 + 72 n up to 592", `length ${header.length}`);
  }
  return header;
}

/**
 * Decodes exactly one request. Records are views of `buf`. Throws `VERBENA_IB_MALFORMED` for a wrong version, operation or length
 * field, and if the buffer is not as long as that field says.
 */
export function decodeAcmRequest(buf: Buffer): AcmRequest {
  const header = checkedHeader(buf, 0);
  if (header.length !== buf.length) throw malformed("AcmRequest", `${header.length} bytes`, `${buf.length} bytes`);
  const operation = header.opcode & ACM_OPCODE.MASK;
  if (operation === ACM_OPCODE.ENDPOINT_QUERY) {
    return { kind: "endpoint", header, index: header.data0, port: header.data1 };
  }
  const records: AcmAddressRecord[] = [];
  for (let at = ACM_HEADER_SIZE; at < buf.length; at += ACM_RECORD_SIZE) records.push(decodeAcmAddressRecord(buf, at));
  return operation === ACM_OPCODE.RESOLVE
    ? { kind: "resolve", header, records }
    : { kind: "perf", header, endpointIndex: header.data1, records };
}

/** Encodes a RESOLVE request: 16 + 72 n bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeResolveRequest(request: {
  readonly tid?: bigint;
  readonly records: readonly AcmAddressRecord[];
}): Buffer {
  return encodeWithRecords(ACM_OPCODE.RESOLVE, 0, request.tid ?? 0n, request.records);
}

/** Encodes a PERF query: 16 bytes, 88 with the SOURCE record that names an endpoint. Throws `VERBENA_IB_VALUE`. */
export function encodePerfRequest(
  request: {
    readonly tid?: bigint;
    readonly endpointIndex?: number;
    readonly records?: readonly AcmAddressRecord[];
  } = {},
): Buffer {
  return encodeWithRecords(ACM_OPCODE.PERF_QUERY, request.endpointIndex ?? 0, request.tid ?? 0n, request.records ?? []);
}

/** Encodes an endpoint query: 16 bytes; index from 1, port 0 = any. Throws `VERBENA_IB_VALUE`. */
export function encodeEndpointRequest(request: {
  readonly tid?: bigint;
  readonly index: number;
  readonly port?: number;
}): Buffer {
  const buf = Buffer.alloc(ACM_HEADER_SIZE);
  writeAcmHeader(buf, {
    opcode: ACM_OPCODE.ENDPOINT_QUERY,
    length: buf.length,
    tid: request.tid ?? 0n,
    data0: request.index,
    data1: request.port ?? 0,
  });
  return buf;
}

function encodeWithRecords(opcode: number, data1: number, tid: bigint, records: readonly AcmAddressRecord[]): Buffer {
  if (records.length > ACM_MAX_RECORDS) throw badValue("AcmRequest.records.length", records.length, "0…8");
  const buf = Buffer.alloc(ACM_HEADER_SIZE + records.length * ACM_RECORD_SIZE);
  writeAcmHeader(buf, { opcode, length: buf.length, tid, data1 });
  let at = ACM_HEADER_SIZE;
  for (const record of records) {
    writeAcmAddressRecord(buf, at, record);
    at += ACM_RECORD_SIZE;
  }
  return buf;
}
