import type { UmadService } from "@verbena/native";
import type { Port } from "../sdk/endpoint.js";
import type { Clock, Logger, Metrics, Random, SaQuery } from "../sdk/services.js";
import type { SaBreaker, SaBreakerState } from "./sa-breaker.js";
import type { MutableSaCounts } from "./sa-count-book.js";
import type { SaWindow } from "./sa-window.js";

/** Window when the options name none: an SA serves many nodes, and sixteen questions of one are answered as fast as it can. */
export const DEFAULT_SA_DEPTH = 16;

export interface SaClientOptions {
  readonly umad: UmadService;
  readonly port: Port;
  readonly clock: Clock;
  readonly random: Random;
  /** The port's: its fields name device and port. */
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Per try, milliseconds. */
  readonly timeoutMs: number;
  /** Tries after the first. */
  readonly retries: number;
  /** Default: a fixed window of {@link DEFAULT_SA_DEPTH}. */
  readonly window?: SaWindow;
  /** Default: one with the defaults of {@link SaBreaker}. */
  readonly breaker?: SaBreaker;
  readonly observer?: SaObserver;
  /** Counted into, beside what other clients of the port have counted there. Default: from zero. */
  readonly counts?: MutableSaCounts;
  /** The agent gives nothing any more, and every further query is rejected with VERBENA_SA_CLOSED: a new client is needed. */
  readonly onBroken?: (cause: unknown) => void;
}

/** How one try of a query ended. */
export type SaTryOutcome = "answered" | "busy" | "timeout";

/** Is told of every try, for accounting and explanations. MUST NOT throw. */
export interface SaObserver {
  onSent(query: SaQuery): void;
  /** `status`: MAD status of an answer, host form. */
  onOutcome(query: SaQuery, outcome: SaTryOutcome, tookMs: number, status?: number): void;
}

/** What has been asked of the SA of a port since counting began, and how its client stands now. */
export interface SaClientStats {
  readonly sent: number;
  readonly answered: number;
  readonly busy: number;
  readonly timeouts: number;
  /** Answers nobody waits for: late, duplicate, foreign, malformed. */
  readonly dropped: number;
  readonly sendErrors: number;
  /** Questions refused because the breaker was open. */
  readonly refused: number;
  readonly inFlight: number;
  readonly queued: number;
  /** Most questions on their way at once, now. */
  readonly window: number;
  readonly breaker: SaBreakerState;
  /** How long the SA is still left alone, milliseconds; 0 unless the breaker is open. */
  readonly retryInMs: number;
}
