import type { Clock, Logger, Metrics, Random } from "@verbena/core/sdk";

/** What a stack needs of its surroundings; `createHost()` of `@verbena/core` gives all of it. */
export interface RdsHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
