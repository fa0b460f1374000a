/**
 * The InfiniBand vocabulary: value types, records, MAD, SA, SM and ACM codecs. Pure functions; no input or output, nothing but
 * coded errors thrown. Values are in host form everywhere; byte order lives in the codecs.
 *
 * @packageDocumentation
 */
export * from "./acm/address-record.js";
export * from "./acm/constants.js";
export * from "./acm/endpoint-reply.js";
export * from "./acm/error-reply.js";
export * from "./acm/fabric-mad.js";
export * from "./acm/header.js";
export * from "./acm/perf-reply.js";
export * from "./acm/request.js";
export * from "./acm/resolve-reply.js";
export * from "./errors/define-errors.js";
export * from "./errors/nearest-word.js";
export * from "./errors/option-names.js";
export * from "./errors/verbena-error.js";
export { IB_ERRORS } from "./errors.js";
export * from "./mad/component-mask.js";
export * from "./mad/constants.js";
export * from "./mad/mad-header.js";
export * from "./mad/names.js";
export * from "./mad/rmpp-header.js";
export * from "./mad/sa-mad.js";
export * from "./mad/smp.js";
export * from "./netlink/answer.js";
export * from "./netlink/constants.js";
export * from "./netlink/error.js";
export * from "./netlink/header.js";
export * from "./netlink/request.js";
export * from "./netlink/split.js";
export {
  type Aeth,
  type AtomicEth,
  DETH_SIZE,
  type Deth,
  type ExtendedHeaders,
  type Reth,
} from "./packet/extended-headers.js";
export * from "./packet/ib-packet.js";
export { aethSyndromeName, BthOpcode, bthOpcodeName } from "./packet/opcodes.js";
export * from "./packet/packet-crc.js";
export * from "./record/class-port-info.js";
export * from "./record/guid-info-record.js";
export * from "./record/inform-info.js";
export * from "./record/inform-info-record.js";
export * from "./record/mc-member-record.js";
export * from "./record/node-record.js";
export * from "./record/notice.js";
export * from "./record/path-record.js";
export * from "./record/port-info-record.js";
export * from "./record/selector.js";
export * from "./record/service-record.js";
export * from "./record/table-records.js";
export * from "./smp/node-description.js";
export * from "./smp/node-info.js";
export * from "./smp/port-info.js";
export * from "./smp/sm-info.js";
export * from "./smp/switch-info.js";
export * from "./smp/tables.js";
export * from "./text/printable.js";
export type { Branded } from "./value/brand.js";
export { Gid } from "./value/gid.js";
export { Guid } from "./value/guid.js";
export { IpAddress } from "./value/ip-address.js";
export { Lid } from "./value/lid.js";
export { LinkSpeed, LinkWidth } from "./value/link.js";
export { Mtu } from "./value/mtu.js";
export { PKey } from "./value/pkey.js";
export { Rate } from "./value/rate.js";
