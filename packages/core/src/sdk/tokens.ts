import type { NativeServices } from "@verbena/native";
import type { Clock, Logger, Metrics, Random } from "./services.js";

/**
 * Names what a provider's constructor asks for. Tokens are registered symbols, so that a provider which brought its own copy of the
 * SDK asks for the same things.
 */
export const tokens = {
  /** {@link Logger}, already labelled with the provider's name. */
  logger: Symbol.for("verbena.token.logger"),
  /** {@link Clock}: the only source of time. */
  clock: Symbol.for("verbena.token.clock"),
  /** {@link Random}: the only source of chance. */
  random: Symbol.for("verbena.token.random"),
  /** {@link Metrics}. */
  metrics: Symbol.for("verbena.token.metrics"),
  /** The provider's own options, as its schema returned them. */
  options: Symbol.for("verbena.token.options"),
  /** `NativeServices`: umad, verbs, addresses. What belongs to a port comes with `openPort`. */
  native: Symbol.for("verbena.token.native"),
} as const;

/** What each token resolves to; a plain factory gets the same things as one object. */
export interface ProviderHost {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** Validated by the manifest's schema; narrow it with the schema's output type. */
  readonly options: unknown;
  readonly native: NativeServices;
}
