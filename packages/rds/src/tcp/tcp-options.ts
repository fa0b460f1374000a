import type { IpAddress } from "@verbena/ib";

/** The port of every kernel. */
export const RDS_TCP_PORT = 16_385;

/** How the TCP transport is to be. */
export interface TcpTransportOptions {
  /** Listened on at each local address, and connected to at peers. Default 16385, which every kernel uses. */
  readonly port?: number;
  /** Other ports of certain peers, such as one behind a proxy. */
  readonly peerPorts?: ReadonlyMap<IpAddress, number>;
  /** Local addresses served. Default: all of the host but 127/8 and ::1. Those are served only if they are named here. */
  readonly addresses?: readonly IpAddress[];
  /** Peers that are spoken with; others are turned away, and nothing is sent to them. Default: all. RDS has no authentication. */
  readonly peers?: readonly IpAddress[];
  /** Longest payload taken, bytes; a peer that announces more is cut off. Default 1 MiB. */
  readonly maxMessageSize?: number;
  /** Connections accepted per second at each local address, and at once; further ones are turned away. Default 1000. */
  readonly maxAcceptRate?: number;
  /** Those of one peer. Default 100. */
  readonly maxAcceptRatePerPeer?: number;
}

/** The options with their defaults. */
export interface TcpSettings {
  readonly port: number;
  readonly peerPorts: ReadonlyMap<IpAddress, number>;
  readonly addresses: ReadonlySet<IpAddress> | undefined;
  readonly peers: ReadonlySet<IpAddress> | undefined;
  readonly maxMessageSize: number;
  readonly maxAcceptRate: number;
  readonly maxAcceptRatePerPeer: number;
}

/** Applies the defaults. */
export function tcpSettings(options: TcpTransportOptions): TcpSettings {
  return {
    port: options.port ?? RDS_TCP_PORT,
    peerPorts: options.peerPorts ?? new Map(),
    addresses: options.addresses === undefined ? undefined : new Set(options.addresses),
    peers: options.peers === undefined ? undefined : new Set(options.peers),
    maxMessageSize: options.maxMessageSize ?? 1 << 20,
    maxAcceptRate: options.maxAcceptRate ?? 1000,
    maxAcceptRatePerPeer: options.maxAcceptRatePerPeer ?? 100,
  };
}
