import { networkInterfaces } from "node:os";
import type { LocalTransport, MessageTransport, TransportAddress, TransportSink } from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";
import { isLoopback } from "../engine/ip.js";
import type { TcpHost } from "./tcp-context.js";
import { TcpLocal } from "./tcp-local.js";
import { type TcpSettings, type TcpTransportOptions, tcpSettings } from "./tcp-options.js";

/** RDS over TCP as the kernel's rds_tcp speaks it. Listens at an address once the first socket is bound there. */
export class TcpTransport implements MessageTransport {
  readonly kind = "messages";
  readonly name = "tcp";
  readonly #settings: TcpSettings;

  /** Throws `VERBENA_RDS_OPTION`. */
  constructor(
    private readonly host: TcpHost,
    options: TcpTransportOptions = {},
  ) {
    this.#settings = tcpSettings(options);
  }

  claims({ address }: TransportAddress): boolean {
    const { addresses } = this.#settings;
    if (addresses !== undefined) return addresses.has(address);
    return !isLoopback(address) && isOfThisHost(address);
  }

  open(local: TransportAddress, sink: TransportSink): Promise<LocalTransport> {
    // What the constructor throws rejects.
    return Promise.resolve().then(() => new TcpLocal(this.host, this.#settings, local, sink));
  }
}

function isOfThisHost(address: IpAddress): boolean {
  return Object.values(networkInterfaces()).some((ends) =>
    ends?.some((end) => IpAddress.tryParse(end.address.replace(/%.*/, "")) === address),
  );
}
