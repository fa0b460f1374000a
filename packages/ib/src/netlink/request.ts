import { Gid } from "../value/gid.js";
import type { PKey } from "../value/pkey.js";
import { checkU64, checkUint, malformed, needBytes } from "../wire/check.js";
import { readU16Host, readU32Host, readU64Host, writeU16Host, writeU32Host, writeU64Host } from "../wire/host-order.js";
import { putU8 } from "../wire/put.js";
import { putText, readText } from "../wire/text.js";
import {
  decodeNetlinkAttributes,
  type NetlinkAttribute,
  netlinkAttributeSize,
  writeNetlinkAttribute,
} from "./attributes.js";
import { NETLINK_HEADER_SIZE, NetlinkLs, NetlinkLsAttribute } from "./constants.js";
import { decodeNetlinkHeader, type NetlinkHeader, writeNetlinkHeader } from "./header.js";

/** What the kernel knows of the path it wants; absent members were not given. Host form. */
export interface NetlinkPathQuery {
  readonly serviceId?: bigint;
  readonly dgid?: Gid;
  readonly sgid?: Gid;
  readonly tclass?: number;
  readonly pkey?: PKey;
  readonly qosClass?: number;
}

/** The kernel wants a path record. */
export interface NetlinkResolveRequest {
  readonly kind: "resolve";
  readonly header: NetlinkHeader;
  /** Verbs name of the device, at most 63 bytes. */
  readonly device: string;
  readonly port: number;
  /** See `NetlinkPathUse`. */
  readonly pathUse: number;
  readonly query: NetlinkPathQuery;
}

/** The kernel wants the GID of an IP address behind an InfiniBand router. */
export interface NetlinkIpResolveRequest {
  readonly kind: "ip-resolve";
  readonly header: NetlinkHeader;
  readonly interfaceIndex: number;
  /** 4 or 16 bytes in network order; absent if the kernel gave none. */
  readonly address?: Buffer;
}

/** An operation of the local service that nobody answers but with a failure. */
export interface NetlinkOtherRequest {
  readonly kind: "other";
  readonly header: NetlinkHeader;
}

/** A message of the kernel to the local service. */
export type NetlinkLsRequest = NetlinkResolveRequest | NetlinkIpResolveRequest | NetlinkOtherRequest;

const DEVICE_SIZE = 64;
/** Bytes between header and attributes of a RESOLVE: device, port, path use, padding. */
const RESOLVE_SIZE = 68;

/**
 * Decodes one message that fills `buf`. A malformed request of the local service is to be answered with the failure message: read its
 * header with `decodeNetlinkHeader`, which has fewer ways to fail. Throws `VERBENA_IB_MALFORMED`, also for another client number.
 */
export function decodeNetlinkLsRequest(buf: Buffer): NetlinkLsRequest {
  const header = decodeNetlinkHeader(buf);
  if (header.length !== buf.length)
    throw malformed("NetlinkLsRequest", `${header.length} bytes`, `${buf.length} bytes`);
  if (header.type >>> 10 !== NetlinkLs.CLIENT) {
    throw malformed("NetlinkLsRequest", "client 4", `client ${header.type >>> 10}`);
  }
  if (header.type === NetlinkLs.RESOLVE) return decodeResolve(buf, header);
  if (header.type === NetlinkLs.IP_RESOLVE) return decodeIpResolve(buf, header);
  return { kind: "other", header };
}

function decodeResolve(buf: Buffer, header: NetlinkHeader): NetlinkResolveRequest {
  needBytes("NetlinkResolveRequest", buf, NETLINK_HEADER_SIZE, RESOLVE_SIZE);
  const query: { -readonly [K in keyof NetlinkPathQuery]: NetlinkPathQuery[K] } = {};
  for (const { number, payload } of decodeNetlinkAttributes(buf, NETLINK_HEADER_SIZE + RESOLVE_SIZE)) {
    if (number === NetlinkLsAttribute.SERVICE_ID) query.serviceId = readU64Host(payload, 0);
    else if (number === NetlinkLsAttribute.DGID) query.dgid = Gid.read(payload, 0);
    else if (number === NetlinkLsAttribute.SGID) query.sgid = Gid.read(payload, 0);
    else if (number === NetlinkLsAttribute.TCLASS) query.tclass = payload.readUInt8(0);
    else if (number === NetlinkLsAttribute.PKEY) query.pkey = readU16Host(payload, 0) as PKey;
    else if (number === NetlinkLsAttribute.QOS_CLASS) query.qosClass = readU16Host(payload, 0);
  }
  return {
    kind: "resolve",
    header,
    device: readText(buf, NETLINK_HEADER_SIZE, DEVICE_SIZE),
    port: buf.readUInt8(80),
    pathUse: buf.readUInt8(81),
    query,
  };
}

function decodeIpResolve(buf: Buffer, header: NetlinkHeader): NetlinkIpResolveRequest {
  needBytes("NetlinkIpResolveRequest", buf, NETLINK_HEADER_SIZE, 4);
  const address = decodeNetlinkAttributes(buf, NETLINK_HEADER_SIZE + 4).find(
    ({ number }) => number === NetlinkLsAttribute.IPV4 || number === NetlinkLsAttribute.IPV6,
  )?.payload;
  const interfaceIndex = readU32Host(buf, NETLINK_HEADER_SIZE);
  return { kind: "ip-resolve", header, interfaceIndex, ...(address === undefined ? {} : { address }) };
}

/** What {@link encodeNetlinkResolveRequest} needs. */
export interface NetlinkResolveFields extends Omit<NetlinkResolveRequest, "kind" | "header"> {
  readonly sequence: number;
}

/** Encodes a RESOLVE request as the kernel does (simulated kernels and tests need it). Throws `VERBENA_IB_VALUE`. */
export function encodeNetlinkResolveRequest(request: NetlinkResolveFields): Buffer {
  const attributes = queryAttributes(request.query);
  const start = NETLINK_HEADER_SIZE + RESOLVE_SIZE;
  const size = attributes.reduce((sum, { payload }) => sum + netlinkAttributeSize(payload.length), start);
  const buf = Buffer.alloc(size);
  writeNetlinkHeader(buf, {
    type: NetlinkLs.RESOLVE,
    flags: NetlinkLs.FLAG_REQUEST,
    sequence: request.sequence,
    pid: 0,
  });
  putText(buf, NETLINK_HEADER_SIZE, request.device, DEVICE_SIZE - 1, "NetlinkResolveRequest.device");
  putU8(buf, 80, request.port, "NetlinkResolveRequest.port");
  putU8(buf, 81, request.pathUse, "NetlinkResolveRequest.pathUse");
  let at = start;
  for (const attribute of attributes) at = writeNetlinkAttribute(buf, at, attribute);
  return buf;
}

/** In the kernel's order: service id, DGID, SGID, traffic class, P_Key, QoS class; all mandatory. */
function queryAttributes(query: NetlinkPathQuery): readonly NetlinkAttribute[] {
  const attributes: NetlinkAttribute[] = [];
  const add = (number: number, size: number, write: (payload: Buffer) => void): void => {
    const payload = Buffer.alloc(size);
    write(payload);
    attributes.push({ number, isMandatory: true, payload });
  };
  const { serviceId, dgid, sgid, tclass, pkey, qosClass } = query;
  if (serviceId !== undefined) {
    add(NetlinkLsAttribute.SERVICE_ID, 8, (b) => writeU64Host(b, 0, checkU64(serviceId, "NetlinkPathQuery.serviceId")));
  }
  if (dgid !== undefined) add(NetlinkLsAttribute.DGID, 16, (b) => Gid.write(b, 0, dgid));
  if (sgid !== undefined) add(NetlinkLsAttribute.SGID, 16, (b) => Gid.write(b, 0, sgid));
  if (tclass !== undefined) add(NetlinkLsAttribute.TCLASS, 1, (b) => putU8(b, 0, tclass, "NetlinkPathQuery.tclass"));
  if (pkey !== undefined) {
    add(NetlinkLsAttribute.PKEY, 2, (b) => writeU16Host(b, 0, checkUint(pkey, 0xffff, "NetlinkPathQuery.pkey")));
  }
  if (qosClass !== undefined) {
    add(NetlinkLsAttribute.QOS_CLASS, 2, (b) =>
      writeU16Host(b, 0, checkUint(qosClass, 0xffff, "NetlinkPathQuery.qosClass")),
    );
  }
  return attributes;
}

/**
 * Encodes SET_TIMEOUT, 24 bytes: how long the kernel waits for answers, in ms (see `NETLINK_TIMEOUT_MS`). It is silent about success unless
 * an acknowledgement is wanted: an error message (`decodeNetlinkError`) with errno 0. Throws `VERBENA_IB_VALUE`.
 */
export function encodeNetlinkSetTimeout(message: {
  readonly sequence: number;
  readonly pid: number;
  readonly timeoutMs: number;
  readonly wantsAck?: boolean;
}): Buffer {
  const payload = Buffer.alloc(4);
  writeU32Host(payload, 0, checkUint(message.timeoutMs, 0xffff_ffff, "NetlinkSetTimeout.timeoutMs"));
  const buf = Buffer.alloc(NETLINK_HEADER_SIZE + netlinkAttributeSize(4));
  writeNetlinkHeader(buf, {
    type: NetlinkLs.SET_TIMEOUT,
    flags: NetlinkLs.FLAG_REQUEST | (message.wantsAck === true ? NetlinkLs.FLAG_ACK : 0),
    sequence: message.sequence,
    pid: message.pid,
  });
  writeNetlinkAttribute(buf, NETLINK_HEADER_SIZE, {
    number: NetlinkLsAttribute.TIMEOUT,
    isMandatory: true,
    payload,
  });
  return buf;
}
