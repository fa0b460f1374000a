import {
  type Clock,
  type DatagramTransport,
  inject,
  injectable,
  type Logger,
  type NativeServices,
  type Random,
  type TransportProvider,
  tokens,
} from "@verbena/core/sdk";
import { KernelTransport } from "../kernel/kernel-transport.js";
import { LoopTransport } from "../loop/loop-transport.js";
import { TcpTransport } from "../tcp/tcp-transport.js";
import type { RdsProviderOptions } from "./options.js";

/** The transports of this package that the configuration names, in its order. */
@injectable()
export class RdsTransports implements TransportProvider {
  readonly transports: readonly DatagramTransport[];

  constructor(
    @inject(tokens.native) native: NativeServices,
    @inject(tokens.clock) clock: Clock,
    @inject(tokens.random) random: Random,
    @inject(tokens.logger) logger: Logger,
    @inject(tokens.options) options: RdsProviderOptions,
  ) {
    const { addresses, peers, ...rest } = options.tcp;
    const tcp = {
      ...rest,
      ...(addresses === undefined ? {} : { addresses }),
      ...(peers === undefined ? {} : { peers }),
    };
    const { forceBuffers } = options;
    const make = {
      loop: (): DatagramTransport => new LoopTransport(),
      kernel: (): DatagramTransport => new KernelTransport({ sockets: native.kernelRds, clock, forceBuffers }),
      tcp: (): DatagramTransport => new TcpTransport({ native, clock, random, logger }, tcp),
    };
    this.transports = options.transports.map((name) => make[name]());
  }

  /** Nothing is open but what sockets have opened, and those are their stack's. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
