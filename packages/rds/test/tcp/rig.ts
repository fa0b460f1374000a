import { createHost, type Host } from "@verbena/core";
import type { Clock } from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";
import { type RdsSocket, type RdsSocketOptions, RdsStack, type RdsStackOptions } from "../../src/index.js";
import type { TcpTransportOptions } from "../../src/tcp/tcp-options.js";
import { TcpTransport } from "../../src/tcp/tcp-transport.js";

/** A port of this process's own, so that tests that run beside each other do not meet. */
export const PORT = 20_000 + (process.pid % 20_000);

let networks = 0;

/** The next loopback address with this last number: equal numbers of one rig are one network. */
export function network(): (last: number) => string {
  networks += 1;
  const third = networks;
  return (last) => `127.77.${third}.${last}`;
}

/** A stack on one loopback address, over TCP alone, with everything closed at the end. */
export class TcpNode implements AsyncDisposable {
  readonly host: Host = createHost();
  readonly stack: RdsStack;

  constructor(
    readonly address: string,
    options: Partial<TcpTransportOptions> = {},
    stack: Partial<RdsStackOptions> = {},
    clock: Clock = this.host.clock,
  ) {
    const { native, random, logger } = this.host;
    const transport = new TcpTransport(
      { native, random, logger, clock },
      {
        port: PORT,
        addresses: [IpAddress.parse(address)],
        ...options,
      },
    );
    this.stack = new RdsStack({ host: this.host, transports: [transport], loopbackCongestion: true, ...stack });
  }

  async socket(port: number, options: RdsSocketOptions = {}): Promise<RdsSocket> {
    const socket = this.stack.createSocket(options);
    await socket.bind(this.address, port);
    return socket;
  }

  /** A counter by the kernel's name. */
  counter(name: string): number {
    return Number(this.stack.info("counters").find((counter) => counter.name === name)?.value ?? -1n);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.close();
    await this.host.close();
  }
}

/** The next data message's text and where it came from. */
export async function receiveText(socket: RdsSocket): Promise<{ text: string; port: number }> {
  const item = await socket.receive();
  if (item.type !== "message") throw new Error("a congestion update came");
  return { text: item.data.toString(), port: item.source.port };
}
