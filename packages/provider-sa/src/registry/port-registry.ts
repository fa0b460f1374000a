import type { Clock, Endpoint, Logger, Metrics, Port, PortServices, Random, RouteProvider } from "@verbena/core/sdk";
import type { SaProviderOptions } from "../options.js";
import { Registrar } from "./registrar.js";
import { RegistryCounters } from "./registry-counters.js";
import { RegistryLookup } from "./registry-lookup.js";
import { RegistryQueries } from "./registry-queries.js";
import { Turns } from "./turns.js";

/** Registrations of a port on their way at once: lookups want the SA too. */
const TURNS = 4;

export interface PortRegistryOptions {
  readonly port: Port;
  readonly services: PortServices;
  readonly routes: RouteProvider;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly options: Pick<SaProviderOptions, "registryLeaseMs" | "registryTtlMs">;
}

/** Names and IPs by ServiceRecord on one port: a registrar for each endpoint, one lookup for all. */
export class PortRegistry {
  readonly lookup: RegistryLookup;
  readonly counters: RegistryCounters;
  readonly #queries: RegistryQueries;
  readonly #registrars = new Set<Registrar>();
  readonly #turns = new Turns(TURNS);

  constructor(private readonly of: PortRegistryOptions) {
    const { port, services, routes, clock, metrics, options } = of;
    this.counters = new RegistryCounters(metrics, `${port.device}/${port.port}`);
    this.#queries = new RegistryQueries(services.sa);
    this.lookup = new RegistryLookup({
      queries: this.#queries,
      routes,
      counters: this.counters,
      logger: services.logger,
      clock,
      ttlMs: options.registryTtlMs,
      // A host that vanishes has its registration for as long anyway.
      reachableMs: options.registryLeaseMs,
    });
  }

  /** Registers the endpoint's addresses. */
  open(endpoint: Endpoint, logger: Logger): Registrar {
    const { clock, random, options } = this.of;
    const context = {
      queries: this.#queries,
      turns: this.#turns,
      counters: this.counters,
      clock,
      random,
      logger,
      leaseMs: options.registryLeaseMs,
      instance: (draw(random) << 32n) | draw(random),
    };
    const registrar = new Registrar(endpoint, context, () => this.#isInPlace());
    this.#registrars.add(registrar);
    return registrar;
  }

  async close(registrar: Registrar): Promise<void> {
    this.#registrars.delete(registrar);
    await registrar.close();
  }

  /** The port's surroundings have changed: what is there may be reached no longer, and the SA may have forgotten us. */
  onChange(): void {
    this.lookup.forget();
    for (const registrar of this.#registrars) registrar.renewSoon();
  }

  /**
   * Whether the port is what it was. If it is down the SA cannot be reached. If it has another LID it is being opened again, and the same
   * registrations are renewed at once: deleting them would leave the host without a name meanwhile.
   */
  #isInPlace(): boolean {
    const { port, services } = this.of;
    const now = services.umad.queryPort(port.device, port.port);
    return now?.state === "active" && now.lid === port.lid;
  }
}

/** 32 random bits. */
function draw(random: Random): bigint {
  return BigInt(Math.floor(random() * 0x1_0000_0000));
}
