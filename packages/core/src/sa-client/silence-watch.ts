import type { VerbenaError } from "@verbena/ib";
import { coreError } from "../errors.js";
import type { Clock, Logger, Metrics } from "../sdk/services.js";
import type { SaBreaker, SaBreakerState } from "./sa-breaker.js";
import type { SaTally } from "./sa-tally.js";
import type { Transaction } from "./transaction.js";
import type { TransactionTable } from "./transaction-table.js";

export interface SilenceWatchOptions {
  readonly breaker: SaBreaker;
  readonly table: TransactionTable;
  readonly tally: SaTally;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** For errors and metrics: `mlx5_0/1`. */
  readonly port: string;
}

/** Has a silent SA left alone: tells the breaker how the tries end, and turns away who would ask, or waits, while it is open. */
export class SilenceWatch {
  constructor(private readonly options: SilenceWatchOptions) {}

  get state(): SaBreakerState {
    return this.options.breaker.state;
  }

  /** How long the SA is still left alone, milliseconds. */
  get retryInMs(): number {
    const { breaker, clock } = this.options;
    return breaker.retryInMs(clock.now());
  }

  /** Whether one more question may be asked; while the breaker is half open it is the probe. */
  admit(): boolean {
    const { breaker, clock } = this.options;
    return breaker.admit(clock.now());
  }

  /** The error of a question that is not asked; counted. */
  refusal(): VerbenaError {
    const { tally, port } = this.options;
    tally.count("refused");
    return coreError("VERBENA_SA_BREAKER_OPEN", { details: { port, retryInMs: Math.ceil(this.retryInMs) } });
  }

  /** Another SA, or the same one seen from another place, deserves to be asked. */
  reset(): void {
    this.options.breaker.reset();
  }

  /** The SA lives: whoever came in meanwhile may go. */
  onSign(): void {
    const { breaker, logger, table } = this.options;
    if (breaker.state !== "closed") {
      logger.info("the SA answers again");
      for (const transaction of table.open()) transaction.isProbe = false;
    }
    breaker.onSign();
  }

  /** A try went unanswered; perhaps one too many. */
  onSilence(transaction: Transaction): void {
    const { breaker, clock, logger, metrics, table, port } = this.options;
    const { isProbe } = transaction;
    transaction.isProbe = false;
    if (!breaker.onSilence(transaction.sentAt, clock.now(), isProbe)) return;
    if (!isProbe) logger.warn("the SA is silent and left alone", { retryInMs: Math.ceil(this.retryInMs) });
    metrics.increment("verbena_sa_breaker_opened_total", { port });
    // Who waits for a place or for another try would wait for nothing; who has been sent may still be answered.
    for (const other of table.open()) {
      if (other !== transaction && other.state !== "sent") other.reject(this.refusal());
    }
  }

  /** A last try is cut short by a deadline, ours or the caller's. One that had a fair part of its time tells as much as any. */
  onCutShort(transaction: Transaction): void {
    if (transaction.state !== "sent") return;
    const { tally, clock } = this.options;
    tally.cutShort(transaction, "timeout");
    const hadMs = clock.now() - transaction.sentAt;
    if (hadMs >= transaction.tryTimeoutMs / 2) this.onSilence(transaction);
  }

  /** A question is over, however it ended. */
  onDone({ isProbe }: Transaction): void {
    const { breaker, clock } = this.options;
    if (isProbe) breaker.onProbeGone(clock.now());
  }
}
