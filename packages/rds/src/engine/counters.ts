import type { TransportCounter } from "@verbena/core/sdk";

/** The base counters of Linux, in its order. */
const NAMES = [
  "conn_reset",
  "recv_drop_bad_checksum",
  "recv_drop_old_seq",
  "recv_drop_no_sock",
  "recv_drop_dead_sock",
  "recv_deliver_raced",
  "recv_delivered",
  "recv_queued",
  "recv_immediate_retry",
  "recv_delayed_retry",
  "recv_ack_required",
  "recv_rdma_bytes",
  "recv_ping",
  "send_queue_empty",
  "send_queue_full",
  "send_lock_contention",
  "send_lock_queue_raced",
  "send_immediate_retry",
  "send_delayed_retry",
  "send_drop_acked",
  "send_ack_required",
  "send_queued",
  "send_rdma",
  "send_rdma_bytes",
  "send_pong",
  "page_remainder_hit",
  "page_remainder_miss",
  "copy_to_user",
  "copy_from_user",
  "cong_update_queued",
  "cong_update_received",
  "cong_send_error",
  "cong_send_blocked",
  "recv_bytes_added_to_sock",
  "recv_bytes_freed_fromsock",
  "send_stuck_rm",
] as const;

/** What an engine counts, by the names of Linux. */
export type Counters = Record<(typeof NAMES)[number], number>;

/** All at 0. */
export function createCounters(): Counters {
  return Object.fromEntries(NAMES.map((name) => [name, 0])) as Counters;
}

/** In the order of Linux, then what the transports count of their own; equal names are added up. */
export function listCounters(
  counters: Counters,
  others: readonly (readonly TransportCounter[])[],
): readonly TransportCounter[] {
  const sums = new Map(NAMES.map((name): [string, bigint] => [name, BigInt(counters[name])]));
  for (const { name, value } of others.flat()) sums.set(name, (sums.get(name) ?? 0n) + value);
  return [...sums].map(([name, value]) => ({ name, value }));
}
