import {
  type Clock,
  inject,
  injectable,
  type Metrics,
  type Port,
  type PortServices,
  type PortSession,
  type Random,
  type ResolutionProvider,
  tokens,
} from "@verbena/core/sdk";
import type { SaProviderOptions } from "./options.js";
import { SaPortSession } from "./sa-port-session.js";

/** Addresses and routes from the subnet administrator. */
@injectable()
export class SaProvider implements ResolutionProvider {
  constructor(
    @inject(tokens.clock) private readonly clock: Clock,
    @inject(tokens.random) private readonly random: Random,
    @inject(tokens.metrics) private readonly metrics: Metrics,
    @inject(tokens.options) private readonly options: SaProviderOptions,
  ) {}

  openPort(port: Port, services: PortServices): Promise<PortSession> {
    const { clock, random, metrics, options } = this;
    return Promise.resolve(new SaPortSession(port, services, { clock, random, metrics }, options));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
