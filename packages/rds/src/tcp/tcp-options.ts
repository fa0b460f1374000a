import { type IpAddress, type OptionNames, unknownOption } from "@verbena/ib";
import { rdsError } from "../errors.js";
import { addressesOption, addressOption } from "../stack/address-option.js";
import { numberOption } from "../stack/number-option.js";

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

const OPTIONS: OptionNames<TcpTransportOptions> = {
  port: true,
  peerPorts: true,
  addresses: true,
  peers: true,
  maxMessageSize: true,
  maxAcceptRate: true,
  maxAcceptRatePerPeer: true,
};

/** Applies the defaults. Throws `VERBENA_RDS_OPTION`: a list of peers that is not understood must not let everybody in. */
export function tcpSettings(options: TcpTransportOptions): TcpSettings {
  const problem = unknownOption(options, OPTIONS);
  if (problem !== undefined) throw rdsError("VERBENA_RDS_OPTION", { details: { of: OF, problem } });
  const { addresses, peers } = options;
  const rate = (name: "maxAcceptRate" | "maxAcceptRatePerPeer", preset: number): number =>
    numberOption(OF, name, options[name] ?? preset, 1, 1_000_000);
  return {
    port: portOption("port", options.port ?? RDS_TCP_PORT),
    peerPorts: peerPortsOption(options.peerPorts ?? new Map()),
    addresses: addresses === undefined ? undefined : addressesOption(OF, "addresses", addresses),
    peers: peers === undefined ? undefined : addressesOption(OF, "peers", peers),
    maxMessageSize: numberOption(OF, "maxMessageSize", options.maxMessageSize ?? 1 << 20, 1, 2 ** 32 - 1),
    maxAcceptRate: rate("maxAcceptRate", 1000),
    maxAcceptRatePerPeer: rate("maxAcceptRatePerPeer", 100),
  };
}

const OF = "TcpTransport";

const portOption = (name: string, port: number): number => numberOption(OF, name, port, 1, 65_535);

function peerPortsOption(ports: ReadonlyMap<IpAddress, number>): ReadonlyMap<IpAddress, number> {
  if (!(ports instanceof Map)) {
    const problem = "peerPorts must be a Map of addresses and ports";
    throw rdsError("VERBENA_RDS_OPTION", { details: { of: OF, problem } });
  }
  const pairs = [...(ports as ReadonlyMap<IpAddress, number>)];
  return new Map(
    pairs.map(([address, port]) => [addressOption(OF, "peerPorts", address), portOption("peerPorts", port)]),
  );
}
