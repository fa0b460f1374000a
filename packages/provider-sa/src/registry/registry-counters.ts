import type { Metrics } from "@verbena/core/sdk";

/** What a registry counts. */
export type RegistryEvent =
  /** An address of ours was registered for the first time, or again after the SA may have forgotten it. */
  | "registered"
  /** A lease was renewed. */
  | "renewed"
  /** A registration was deleted. */
  | "deleted"
  /** Registering or deleting failed. */
  | "failed"
  /** A name or IP was found. */
  | "found"
  /** More than one port had registered what was looked for. */
  | "duplicate"
  /** A record that is none of ours, or is wrong, was passed over. */
  | "ignored"
  /** A record was passed over because no path leads to its port. */
  | "unreachable";

/** Numbers of one port's registry; the metric is `verbena_registry_events_total`, labelled `port` and `event`. */
export class RegistryCounters {
  readonly #counts: Partial<Record<RegistryEvent, number>> = {};

  constructor(
    private readonly metrics: Metrics,
    private readonly port: string,
  ) {}

  count(event: RegistryEvent): void {
    this.#counts[event] = (this.#counts[event] ?? 0) + 1;
    this.metrics.increment("verbena_registry_events_total", { port: this.port, event });
  }

  /** As counters of the provider's session: `registryRegistered` and so on. */
  read(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      Object.entries(this.#counts).map(([event, count]) => [`registry${capital(event)}`, count]),
    );
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
