/**
 * Life of one exchange, a request and its answer. `queued`: waits for a credit to be sent; `asking`: just sent, holds the credit; `pausing`: has given
 * the credit back and waits for an answer or for the next try; `done`.
 */
export type ExchangePhase = "queued" | "asking" | "pausing" | "done";

/**
 * What happens to it. `credit`: it may be sent; `hold-over`: the credit has been held long enough; `gap-over`: time for the next try; `end`: an
 * answer, the end of its time, or nobody wants to know any more.
 */
export type ExchangeSignal = "credit" | "hold-over" | "gap-over" | "end";

/** What follows. `release-and-queue`: gives the credit back and asks for another; `leave`: is in the queue no longer. */
export type ExchangeAction = "none" | "send" | "release" | "queue" | "release-and-queue" | "refuse" | "leave";

interface Row {
  readonly next: ExchangePhase;
  readonly action: ExchangeAction;
}

const to = (next: ExchangePhase, action: ExchangeAction): Row => ({ next, action });

/** Phase × signal. */
export const EXCHANGE_TABLE: Readonly<Record<ExchangePhase, Readonly<Record<ExchangeSignal, Row>>>> = {
  queued: {
    credit: to("asking", "send"),
    "hold-over": to("queued", "none"),
    "gap-over": to("queued", "none"),
    end: to("done", "leave"),
  },
  asking: {
    credit: to("asking", "refuse"),
    "hold-over": to("pausing", "release"),
    "gap-over": to("queued", "release-and-queue"),
    end: to("done", "release"),
  },
  pausing: {
    credit: to("pausing", "refuse"),
    "hold-over": to("pausing", "none"),
    "gap-over": to("queued", "queue"),
    end: to("done", "none"),
  },
  done: {
    credit: to("done", "refuse"),
    "hold-over": to("done", "none"),
    "gap-over": to("done", "none"),
    end: to("done", "none"),
  },
};

/** One step of an exchange's life; pure. `refuse`: the credit goes to somebody else. */
export function stepExchange(phase: ExchangePhase, signal: ExchangeSignal): Row {
  return EXCHANGE_TABLE[phase][signal];
}
