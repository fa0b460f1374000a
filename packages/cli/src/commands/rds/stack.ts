import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createHost, type Host } from "@verbena/core";
import type { DatagramTransport } from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";
import {
  AttachTransport,
  KernelTransport,
  LoopTransport,
  RdsStack,
  type RdsStackOptions,
  TcpTransport,
} from "@verbena/rds";
import { cliError } from "../../errors.js";
import { wholeNumber } from "../../numbers.js";
import { DEFAULT_ATTACH_PATH } from "./default-path.js";

/** Which transport a command uses. */
export interface TransportChoice {
  readonly json?: boolean;
  readonly transport?: "loop" | "tcp" | "verbs" | "kernel" | "attach";
  readonly tcpPort?: string;
  readonly attachPath?: string;
}

/**
 * Gives a stack to `use`, with the transports that were chosen, and closes it. `local`: the address that sockets will be bound to. `more`: what else
 * the stack is made of.
 */
export async function withStack<T>(
  options: TransportChoice,
  local: string,
  use: (stack: RdsStack, host: Host) => Promise<T>,
  more: Omit<RdsStackOptions, "host" | "transports"> = {},
): Promise<T> {
  const host = createHost();
  try {
    await using stack = new RdsStack({ ...more, host, transports: chosen(options, IpAddress.parse(local), host) });
    return await use(stack, host);
  } finally {
    await host.close();
  }
}

/** Where nothing is chosen, those that open no port to the network by themselves. */
function chosen(
  { transport, tcpPort, attachPath }: TransportChoice,
  local: IpAddress,
  host: Host,
): readonly DatagramTransport[] {
  if (tcpPort !== undefined && transport !== "tcp") {
    throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: "--tcp-port needs --transport tcp" } });
  }
  if (attachPath !== undefined && transport !== "attach") {
    throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: "--attach-path needs --transport attach" } });
  }
  const kernel = () => new KernelTransport({ sockets: host.native.kernelRds, clock: host.clock });
  switch (transport) {
    case undefined:
      return [new LoopTransport(), kernel()];
    case "loop":
      return [new LoopTransport()];
    case "kernel":
      return [kernel()];
    case "tcp": {
      const port = tcpPort === undefined ? {} : { port: wholeNumber("--tcp-port", tcpPort, { from: 1, to: 65_535 }) };
      return [new TcpTransport(host, { ...port, addresses: [local] })];
    }
    case "attach":
      return [new AttachTransport(host, { path: attachPath ?? DEFAULT_ATTACH_PATH })];
    case "verbs":
      throw cliError("VERBENA_CLI_USAGE_TRANSPORT", { details: { name: transport } });
    default:
      return transport satisfies never;
  }
}

/** The address from which this host would send to `destination`, by its routing. Sends nothing. */
export async function sourceFor(destination: IpAddress): Promise<string> {
  const socket = createSocket(IpAddress.family(destination) === 4 ? "udp4" : "udp6");
  try {
    socket.connect(1, destination);
    await once(socket, "connect");
    return socket.address().address;
  } catch (error) {
    const what = `no way from this host to ${destination}: ${error instanceof Error ? error.message : String(error)}`;
    throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what }, cause: error });
  } finally {
    socket.close();
  }
}

/** An IP address on the command line. */
export function ipArgument(text: string): IpAddress {
  const address = IpAddress.tryParse(text);
  if (address !== undefined) return address;
  throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: `${JSON.stringify(text)} is no IP address` } });
}
