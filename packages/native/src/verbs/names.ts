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

/** Names one asynchronous event. Kinds that are not about a port or the device (queue pairs, queues), and new ones, stay numbers. */
export function toDeviceEvent(event: number, port: number): DeviceEvent {
  const type = (PORT_EVENTS as Readonly<Record<number, (typeof PORT_EVENTS)[keyof typeof PORT_EVENTS]>>)[event];
  if (type !== undefined) return { type, port };
  return event === DEVICE_FATAL ? { type: "device-fatal" } : { type: "unknown", event };
}
