import {
  type Clock,
  inject,
  injectable,
  type Port,
  type PortServices,
  type PortSession,
  type ResolutionProvider,
  tokens,
} from "@verbena/core/sdk";
import type { SaProviderOptions } from "./options.js";
import { SaPortSession } from "./sa-port-session.js";

/** Addresses and routes from the subnet administrator. */
@injectable()
export class SaProvider implements ResolutionProvider {
  readonly #clock: Clock;
  readonly #options: SaProviderOptions;

  constructor(@inject(tokens.clock) clock: Clock, @inject(tokens.options) options: SaProviderOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  openPort(port: Port, services: PortServices): Promise<PortSession> {
    return Promise.resolve(new SaPortSession(port, services, this.#clock, this.#options));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
