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
import { AcmPortSession } from "./acm-port-session.js";
import type { AcmProviderOptions } from "./options.js";

/** Names and addresses from the peers themselves, by multicast. */
@injectable()
export class AcmProvider implements ResolutionProvider {
  readonly #ports = new Set<AcmPortSession>();

  constructor(
    @inject(tokens.clock) private readonly clock: Clock,
    @inject(tokens.random) private readonly random: Random,
    @inject(tokens.metrics) private readonly metrics: Metrics,
    @inject(tokens.options) private readonly options: AcmProviderOptions,
  ) {}

  openPort(port: Port, services: PortServices): Promise<PortSession> {
    const { clock, random, metrics, options } = this;
    const session = new AcmPortSession(
      port,
      services,
      { clock, random, metrics },
      options,
      (gid) => [...this.#ports].some((open) => open.port.gids.includes(gid)),
      (closed) => this.#ports.delete(closed),
    );
    this.#ports.add(session);
    return Promise.resolve(session);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
