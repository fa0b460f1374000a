import type { DeviceEvent } from "../api/verbs.js";

const named = (names: Readonly<Record<number, string>>, code: number): string => names[code] ?? `unknown(${code})`;

/** `enum ibv_node_type`. */
export const nodeTypeName = (code: number): string =>
  named({ 1: "ca", 2: "switch", 3: "router", 4: "rnic", 5: "usnic", 6: "usnic-udp", 7: "unspecified" }, code);

/** `enum ibv_transport_type`. */
export const transportName = (code: number): string =>
  named({ 0: "ib", 1: "iwarp", 2: "usnic", 3: "usnic-udp", 4: "unspecified" }, code);

/** `IBV_LINK_LAYER_…`. */
export const linkLayerName = (code: number): string =>
  named({ 0: "unspecified", 1: "infiniband", 2: "ethernet" }, code);

const DEVICE_FATAL = 8;

/** `enum ibv_event_type`: the kinds that concern a port. */
const PORT_EVENTS = {
  9: "port-active",
  10: "port-err",
  11: "lid-change",
  12: "pkey-change",
  13: "sm-change",
  17: "client-reregister",
  18: "gid-change",
} as const;

/** Those that concern a queue pair. */
const PAIR_EVENTS = {
  1: "qp-fatal",
  2: "qp-req-err",
  3: "qp-access-err",
  4: "comm-est",
  5: "sq-drained",
  6: "path-mig",
  7: "path-mig-err",
  16: "qp-last-wqe-reached",
} as const;

const CQ_ERR = 0;
const SRQ_EVENTS = { 14: "srq-err", 15: "srq-limit-reached" } as const;

const find = <T>(names: Readonly<Record<number, T>>, code: number): T | undefined => names[code];

/** Names one asynchronous event; `subject` is a port, a QPN or the number of a queue. New kinds stay numbers. */
export function toDeviceEvent(event: number, subject: number): DeviceEvent {
  const ofPort = find(PORT_EVENTS, event);
  if (ofPort !== undefined) return { type: ofPort, port: subject };
  const ofPair = find(PAIR_EVENTS, event);
  if (ofPair !== undefined) return { type: ofPair, qpn: subject };
  const ofSrq = find(SRQ_EVENTS, event);
  if (ofSrq !== undefined) return { type: ofSrq, srq: subject };
  if (event === CQ_ERR) return { type: "cq-err", cq: subject };
  return event === DEVICE_FATAL ? { type: "device-fatal" } : { type: "unknown", event };
}
