import type { Clock, Logger } from "./services.js";

/** How long a warning keeps quiet after it was given, milliseconds. */
const QUIET_MS = 10_000;

/** A warning about something that may happen a thousand times a second: given at once, then at most every ten seconds, with a count. */
export class OccasionalWarning {
  #times = 0;
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly message: string,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** How often it has happened. */
  get times(): number {
    return this.#times;
  }

  /** It has happened. */
  happened(fields: Readonly<Record<string, unknown>> = {}): void {
    this.#times++;
    if (this.clock.now() < this.#quietUntil) return;
    this.#quietUntil = this.clock.now() + QUIET_MS;
    this.logger.warn(this.message, { ...fields, times: this.#times });
  }
}
