import type { Clock, Metrics } from "../sdk/services.js";
import type { SaClientStats, SaObserver, SaTryOutcome } from "./sa-client-options.js";
import type { Transaction } from "./transaction.js";

type Counted = "sent" | "answered" | "busy" | "timeouts" | "dropped" | "sendErrors" | "refused";

/** Label of each counter in the metric `verbena_sa_tries_total`. */
const OUTCOMES: Readonly<Record<Exclude<Counted, "dropped">, string>> = {
  sent: "sent",
  answered: "answered",
  busy: "busy",
  timeouts: "timeout",
  sendErrors: "send_error",
  refused: "refused",
};

const OUTCOME_COUNTERS = { answered: "answered", busy: "busy", timeout: "timeouts" } as const;

export interface SaTallyOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly observer?: SaObserver | undefined;
  /** For metrics: `mlx5_0/1`. */
  readonly port: string;
}

/** Counts what becomes of the tries, and tells metrics and observer. */
export class SaTally {
  readonly #count = { sent: 0, answered: 0, busy: 0, timeouts: 0, dropped: 0, sendErrors: 0, refused: 0 };

  constructor(private readonly options: SaTallyOptions) {}

  read(): Pick<SaClientStats, Counted> {
    return { ...this.#count };
  }

  sent({ query }: Transaction): void {
    this.count("sent");
    this.options.observer?.onSent(query);
  }

  /** A try has ended. `status`: MAD status of an answer, host form. */
  ended(transaction: Transaction, outcome: SaTryOutcome, status?: number): void {
    this.count(OUTCOME_COUNTERS[outcome]);
    this.cutShort(transaction, outcome, status);
  }

  /** A try has ended that no counter counts: it did not have its time. */
  cutShort({ query, sentAt }: Transaction, outcome: SaTryOutcome, status?: number): void {
    this.options.observer?.onOutcome(query, outcome, this.options.clock.now() - sentAt, status);
  }

  count(what: Exclude<Counted, "dropped">): void {
    this.#count[what] += 1;
    this.options.metrics.increment("verbena_sa_tries_total", { port: this.options.port, outcome: OUTCOMES[what] });
  }

  dropped(reason: "unexpected" | "foreign" | "malformed"): void {
    this.#count.dropped += 1;
    this.options.metrics.increment("verbena_sa_dropped_total", { port: this.options.port, reason });
  }
}
