import type { NativeServices } from "@verbena/native";
import "reflect-metadata";
import { container, type DependencyContainer } from "tsyringe";
import type { Clock, Logger, Metrics, Random } from "../sdk/services.js";
import { tokens } from "../sdk/tokens.js";
import { noMetrics, silentLogger, systemClock, systemRandom } from "./default-services.js";

/** What an application instance hands in; everything but `native` has a default. */
export interface HostServices {
  readonly native: NativeServices;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly metrics?: Metrics;
}

/**
 * The one place where tokens meet values: a container per application instance. It is a child of tsyringe's root only because the
 * library offers no other way to make one; nothing is ever registered in the root.
 */
export function composeHost(services: HostServices): DependencyContainer {
  const host = container.createChildContainer();
  host.register(tokens.native, { useValue: services.native });
  host.register(tokens.logger, { useValue: services.logger ?? silentLogger });
  host.register(tokens.clock, { useValue: services.clock ?? systemClock });
  host.register(tokens.random, { useValue: services.random ?? systemRandom });
  host.register(tokens.metrics, { useValue: services.metrics ?? noMetrics });
  return host;
}

/** A container for one provider: its own options and a logger that carries its name. */
export function composeProvider(host: DependencyContainer, name: string, options: unknown): DependencyContainer {
  const child = host.createChildContainer();
  child.register(tokens.options, { useValue: options });
  child.register(tokens.logger, { useValue: host.resolve<Logger>(tokens.logger).child({ provider: name }) });
  return child;
}
