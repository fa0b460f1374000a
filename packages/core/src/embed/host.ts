import { type Availability, type NativeOptions, type NativeServices, openNative } from "@verbena/native";
import { noMetrics, silentLogger, systemClock, systemRandom } from "../host/default-services.js";
import type { Clock, Logger, Metrics, Random } from "../sdk/services.js";
import { createResolver, type Resolver, type ResolverOptions } from "./resolver.js";
import { openTransportSet, type TransportSet, type TransportSetOptions } from "./transport-set.js";

/** Services for a plain program, shared by any number of resolvers and by a stack of RDS sockets (`new RdsStack({ host })`). */
export interface Host extends AsyncDisposable {
  readonly native: NativeServices;
  readonly clock: Clock;
  readonly random: Random;
  /** Says nothing, as a library's should. */
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** What could be loaded, and what to do about the rest. */
  availability(): Availability;
  /** A resolver on these services. Close it before the host. */
  createResolver(options?: Omit<ResolverOptions, "native" | "fabric">): Promise<Resolver>;
  /**
   * Transports for RDS sockets: `new RdsStack({ host, transports })`. Close the set before the host. Rejects with `VERBENA_CONFIG_INVALID` or
   * `VERBENA_PROVIDER_…`.
   */
  openTransports(options?: TransportSetOptions): Promise<TransportSet>;
  /** Closes resolvers and transports made by this host, then the services. Idempotent. */
  close(): Promise<void>;
}

/** Opens native services. Throws `VERBENA_NATIVE_ADDON` or `VERBENA_NATIVE_OPTION`; `availability()` of `@verbena/native` never does. */
export function createHost(options: NativeOptions = {}): Host {
  return new OpenHost(openNative(options));
}

class OpenHost implements Host {
  readonly clock = systemClock;
  readonly random = systemRandom;
  readonly logger = silentLogger;
  readonly metrics = noMetrics;
  readonly #resolvers = new Set<Resolver>();
  readonly #transportSets = new Set<TransportSet>();
  #closing: Promise<void> | undefined;

  constructor(readonly native: NativeServices) {}

  availability(): Availability {
    return this.native.availability();
  }

  async createResolver(options: Omit<ResolverOptions, "native" | "fabric"> = {}): Promise<Resolver> {
    const resolver = await createResolver({ ...options, native: this.native });
    this.#resolvers.add(resolver);
    return resolver;
  }

  async openTransports(options: TransportSetOptions = {}): Promise<TransportSet> {
    const set = await openTransportSet(this, options);
    this.#transportSets.add(set);
    return set;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#resolvers, ...this.#transportSets].map((made) => made.close()));
    await this.native.close();
  }
}
