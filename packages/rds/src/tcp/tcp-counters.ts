import type { TransportCounter } from "@verbena/core/sdk";

/** Counters of the TCP transport, by the kernel's names and in its order. */
export interface TcpCounters {
  /** Times there was something to read. */
  tcp_data_ready_calls: number;
  /** Times there was room to write again. */
  tcp_write_space_calls: number;
  /** Times the kernel took a part of what there was to write. */
  tcp_sndbuf_full: number;
  /** Connections that came while another to the same peer stood or was under way. */
  tcp_connect_raced: number;
  /** Connections that were turned away. */
  tcp_listen_closed_stale: number;
}

/** All 0. */
export function createTcpCounters(): TcpCounters {
  return {
    tcp_data_ready_calls: 0,
    tcp_write_space_calls: 0,
    tcp_sndbuf_full: 0,
    tcp_connect_raced: 0,
    tcp_listen_closed_stale: 0,
  };
}

/** As a list. */
export function listTcpCounters(counters: TcpCounters): readonly TransportCounter[] {
  return Object.entries(counters).map(([name, value]) => ({ name, value: BigInt(value as number) }));
}
