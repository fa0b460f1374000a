import type { ControlMessage, KernelRdsControl } from "@verbena/core/sdk";
import { readHost32, readHost64 } from "./host-order.js";
import { CONTROL, LEVEL, OPTION } from "./numbers.js";

/** SO_TIMESTAMP's control message has the option's number. */
const TIMESTAMP = OPTION.timestamp;
/** Of the latency's control message: a count, three positions, padding, then three values. */
const LATENCY_VALUES_AT = 8;
const MAX_LATENCIES = 3;
const MAX_COOKIES = 8;

/** A control message of the kernel, named; one that is unknown or shorter than its type should be stays data. */
export function decodeControl({ level, type, data }: KernelRdsControl): ControlMessage {
  if (level === LEVEL.socket && type === TIMESTAMP && data.length >= 16) {
    return { type: "timestamp", ns: readHost64(data, 0) * 1_000_000_000n + readHost64(data, 8) * 1000n };
  }
  if (level === LEVEL.rds && type === CONTROL.receiveLatency && data.length >= LATENCY_VALUES_AT + 8 * MAX_LATENCIES) {
    const count = Math.min(data.readUInt8(0), MAX_LATENCIES);
    const ns = Array.from({ length: count }, (_, i) => readHost64(data, LATENCY_VALUES_AT + 8 * i));
    return { type: "rx-latency", ns };
  }
  if (level === LEVEL.rds && type === CONTROL.zeroCopyCompletion && data.length >= 4 + 4 * MAX_COOKIES) {
    const count = Math.min(readHost32(data, 0), MAX_COOKIES);
    return {
      type: "zero-copy-completion",
      cookies: Array.from({ length: count }, (_, i) => readHost32(data, 4 + 4 * i)),
    };
  }
  return { type: "unknown", level, code: type, data };
}

/** The mask of a congestion notification; `undefined` if `control` has none. */
export function congestionMask(control: readonly KernelRdsControl[]): bigint | undefined {
  const update = control.find(({ level, type }) => level === LEVEL.rds && type === CONTROL.congestionUpdate);
  return update === undefined || update.data.length < 8 ? undefined : readHost64(update.data, 0);
}

/** What is sent beside a message, for the kernel: `undefined` if one of it cannot be. */
export function encodeControl(control: readonly ControlMessage[]): readonly KernelRdsControl[] | undefined {
  const out: KernelRdsControl[] = [];
  for (const one of control) {
    if (one.type !== "unknown") return undefined;
    out.push({ level: one.level, type: one.code, data: one.data });
  }
  return out;
}
