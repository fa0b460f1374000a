import type { Clock, Metrics } from "../sdk/services.js";
import type { SaObserver, SaTryOutcome } from "./sa-client-options.js";
import { type MutableSaCounts, type SaCounts, zeroSaCounts } from "./sa-count-book.js";
import type { Transaction } from "./transaction.js";

/** Label of each counter in the metric `verbena_sa_tries_total`. */
const OUTCOMES: Readonly<Record<Exclude<keyof SaCounts, "dropped">, string>> = {
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
  /** Counted into; default: from zero. */
  readonly counts?: MutableSaCounts | undefined;
  /** For metrics: `mlx5_0/1`. */
  readonly port: string;
}

/** Counts what becomes of the tries, and tells metrics and observer. */
export class SaTally {
  readonly #count: MutableSaCounts;

  constructor(private readonly options: SaTallyOptions) {
    this.#count = options.counts ?? zeroSaCounts();
  }

  read(): SaCounts {
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

  count(what: Exclude<keyof SaCounts, "dropped">): void {
    this.#count[what] += 1;
    this.options.metrics.increment("verbena_sa_tries_total", { port: this.options.port, outcome: OUTCOMES[what] });
  }

  dropped(reason: "unexpected" | "foreign" | "malformed"): void {
    this.#count.dropped += 1;
    this.options.metrics.increment("verbena_sa_dropped_total", { port: this.options.port, reason });
  }
}
