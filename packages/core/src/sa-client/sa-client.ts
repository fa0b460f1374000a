import { MadStatus, type VerbenaError } from "@verbena/ib";
import type { UmadMessage } from "@verbena/native";
import { sightOf } from "../ports/port-sight.js";
import type { Port } from "../sdk/endpoint.js";
import type { SaQuery, SaResponse, SaService } from "../sdk/services.js";
import { busyPause, withJitter } from "./back-off.js";
import { isFromSa } from "./sa-address.js";
import { SaBreaker } from "./sa-breaker.js";
import { DEFAULT_SA_DEPTH, type SaClientOptions, type SaClientStats } from "./sa-client-options.js";
import { errnoOf, type SaErrorCode, saError } from "./sa-error.js";
import { lowTid, readResponse } from "./sa-response.js";
import { SaTally } from "./sa-tally.js";
import { fixedWindow, type SaWindow } from "./sa-window.js";
import { SaWire } from "./sa-wire.js";
import { SilenceWatch } from "./silence-watch.js";
import { Transaction } from "./transaction.js";
import { TransactionTable } from "./transaction-table.js";

/** A table travels in many segments: one try of GetTable lasts this many times as long as one of a plain query. */
const TABLE_PATIENCE = 3;
/** Linux: the transaction id is in use. */
const EINVAL = 22;
/** The library gives an unanswered request back by itself; one that has not done so by this time will not, milliseconds. */
const GIVE_BACK_MS = 100;

/**
 * One port's way to its subnet administrator. At most `window` queries are on their way; the rest wait in order of arrival. BUSY and
 * silence are tried again until the deadline; they are never an answer. Silence repeats the request under its transaction id, so the first
 * answer to any of the repeats counts (IBA 13.4.6.4); after BUSY, or when the SM has moved, a new transaction begins and what the former
 * one may still bring finds nobody. `retries` makes the default deadline, it does not cut a longer one.
 * An SA that stays silent is left alone for a while: questions are then refused at once with VERBENA_SA_BREAKER_OPEN, but for one probe.
 */
export class SaClient implements SaService, AsyncDisposable {
  readonly #options: SaClientOptions;
  readonly #window: SaWindow;
  readonly #tally: SaTally;
  readonly #wire: SaWire;
  readonly #table: TransactionTable;
  readonly #silence: SilenceWatch;
  /** Transaction ids of last words: what is answered to them is nobody's. */
  readonly #told = new Set<number>();
  #port: Port;
  #closed = false;

  /** Throws what opening the umad port or registering the agent throws. */
  constructor(options: SaClientOptions) {
    this.#options = options;
    this.#window = options.window ?? fixedWindow(DEFAULT_SA_DEPTH);
    this.#port = options.port;
    this.#table = new TransactionTable(Math.floor(options.random() * 0x1_0000_0000));
    const { clock, logger, metrics, observer, counts } = options;
    const [table, port] = [this.#table, this.#name()];
    const tally = new SaTally({ clock, metrics, observer, counts, port });
    const breaker = options.breaker ?? new SaBreaker({ random: options.random });
    this.#tally = tally;
    this.#silence = new SilenceWatch({ breaker, table, tally, clock, logger, metrics, port });
    this.#wire = new SaWire({
      umad: options.umad,
      port: options.port,
      onMessage: (message) => {
        this.#receive(message);
      },
      onFailure: (cause) => {
        this.#fail(cause);
      },
    });
  }

  query(query: SaQuery): Promise<SaResponse> {
    if (this.#closed) return Promise.reject(this.#error("VERBENA_SA_CLOSED"));
    if (query.signal?.aborted === true) return Promise.reject(this.#error("VERBENA_SA_ABORTED", query.signal.reason));
    const { clock, timeoutMs, retries } = this.#options;
    if (!this.#silence.admit()) return Promise.reject(this.#silence.refusal());
    const isProbe = this.#silence.state === "half-open";
    const tryTimeoutMs = query.method === "getTable" ? timeoutMs * TABLE_PATIENCE : timeoutMs;
    const deadline = clock.now() + (query.deadlineMs ?? (retries + 1) * tryTimeoutMs);
    return new Promise((resolve, reject) => {
      const transaction = new Transaction(query, deadline, tryTimeoutMs, { resolve, reject });
      transaction.isProbe = isProbe;
      this.#table.enter(transaction);
      transaction.onDone(() => {
        this.#silence.onDone(transaction);
        if (this.#table.leave(transaction)) this.#pump();
      });
      transaction.onDone(
        clock.schedule(deadline - clock.now(), () => {
          this.#expire(transaction);
        }),
      );
      this.#watchAbort(transaction);
      this.#pump();
    });
  }

  /**
   * The port's new snapshot. If the port itself is another one (LID, GIDs, partitions), every open query is rejected with
   * VERBENA_SA_STALE; if only the SM moved, open queries are asked again there.
   */
  update(port: Port): void {
    const before = this.#port;
    this.#port = port;
    const sight = sightOf(before, port);
    if (sight !== "same") this.#silence.reset();
    if (sight === "moved" || sight === "inactive") {
      this.#rejectAll("VERBENA_SA_STALE");
      return;
    }
    if (sight === "same") return;
    this.#table.requeueSent();
    this.#pump();
  }

  stats(): SaClientStats {
    const { state, retryInMs } = this.#silence;
    return {
      ...this.#tally.read(),
      inFlight: this.#table.inFlight,
      queued: this.#table.queued,
      window: this.#window.limit,
      breaker: state,
      retryInMs,
    };
  }

  /**
   * Says something to the SA at once, beside the window, and waits for no answer: the last words of who leaves must not stand in line behind
   * what nobody wants to know any more. Sent once; what gets lost is lost.
   */
  tell(query: SaQuery): void {
    if (this.#closed) return;
    const tid = this.#table.nextTid();
    try {
      this.#wire.send(query, tid, this.#port, this.#options.timeoutMs);
    } catch {
      this.#tally.count("sendErrors");
      return;
    }
    this.#told.add(tid);
    this.#tally.count("sent");
  }

  /** Rejects everything open with VERBENA_SA_CLOSED; what is asked from now on has the window for itself. */
  giveUp(): void {
    this.#rejectAll("VERBENA_SA_CLOSED");
  }

  /** Rejects everything open with VERBENA_SA_CLOSED and gives the agent back. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#rejectAll("VERBENA_SA_CLOSED");
    await this.#wire.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #pump(): void {
    while (!this.#closed && this.#table.inFlight < this.#window.limit) {
      const next = this.#table.next();
      if (next === undefined) return;
      this.#send(next);
    }
  }

  #rejectAll(code: SaErrorCode, cause?: unknown): void {
    const open = this.#table.open();
    // Emptied first: a place that becomes free must not send the next one of these.
    this.#table.clearQueue();
    for (const transaction of open) transaction.reject(this.#error(code, cause));
  }

  #send(transaction: Transaction): void {
    const { clock, random } = this.#options;
    const patienceMs = withJitter(transaction.tryTimeoutMs, random);
    const timeoutMs = Math.ceil(Math.min(patienceMs, transaction.deadline - clock.now()));
    if (timeoutMs <= 0) {
      this.#expire(transaction);
      return;
    }
    const isRepeat = transaction.tid !== 0;
    if (!isRepeat) transaction.tid = this.#table.nextTid();
    try {
      this.#wire.send(transaction.query, transaction.tid, this.#port, timeoutMs);
    } catch (cause) {
      // The kernel still holds the former try, and gives it back in a moment.
      if (isRepeat && errnoOf(cause) === EINVAL) this.#await(transaction, GIVE_BACK_MS);
      else this.#refuseSend(transaction, cause);
      return;
    }
    transaction.state = "sent";
    transaction.sentAt = clock.now();
    transaction.tries += 1;
    this.#table.depart(transaction);
    this.#tally.sent(transaction);
    // Not every library gives an unanswered request back (ibsim's does not), so the time is kept here as well.
    this.#await(transaction, timeoutMs + GIVE_BACK_MS);
  }

  #await(transaction: Transaction, ms: number): void {
    transaction.arm(
      this.#options.clock.schedule(ms, () => {
        this.#unanswered(transaction);
      }),
    );
  }

  #refuseSend(transaction: Transaction, cause: unknown): void {
    this.#tally.count("sendErrors");
    transaction.reject(this.#error("VERBENA_SA_SEND", cause));
  }

  #fail(cause: unknown): void {
    this.#options.logger.error("SA agent failed", { cause: String(cause) });
    this.#closed = true;
    this.#rejectAll("VERBENA_SA_CLOSED", cause);
    this.#options.onBroken?.(cause);
  }

  #receive(message: UmadMessage): void {
    const tid = lowTid(message.mad);
    if (tid !== undefined && this.#told.delete(tid)) return;
    const transaction = tid === undefined ? undefined : this.#table.byTid(tid);
    if (transaction === undefined) {
      this.#tally.dropped("unexpected");
      return;
    }
    if (message.status !== 0) {
      this.#unanswered(transaction);
      return;
    }
    // Whatever its transaction id. The try ends when its time is up, and the next one may be answered by the SA.
    if (!isFromSa(this.#port, message.from)) {
      this.#tally.dropped("foreign");
      return;
    }
    const response = readResponse(message.mad, transaction.query);
    if (response === undefined) {
      this.#tally.dropped("malformed");
      return;
    }
    if (response.status === MadStatus.BUSY) {
      this.#refused(transaction);
      return;
    }
    this.#window.onAnswer();
    this.#silence.onSign();
    this.#tally.ended(transaction, "answered", response.status);
    transaction.resolve(response);
  }

  /** BUSY: pause and ask again, as long as the deadline allows. */
  #refused(transaction: Transaction): void {
    this.#window.onCongestion("busy", this.#table.inFlight - 1);
    this.#silence.onSign();
    this.#tally.ended(transaction, "busy");
    transaction.busy += 1;
    transaction.lastOutcome = "busy";
    this.#pause(transaction, busyPause(transaction.busy, this.#options.random));
  }

  #unanswered(transaction: Transaction): void {
    if (transaction.state !== "sent") return;
    this.#window.onCongestion("timeout", this.#table.inFlight - 1);
    this.#tally.ended(transaction, "timeout");
    transaction.busy = 0;
    transaction.lastOutcome = "timeout";
    this.#silence.onSilence(transaction);
    if (this.#silence.state !== "closed") {
      transaction.reject(this.#silence.refusal());
      return;
    }
    // At once, and in its place: the kernel hands an answer up only while it holds the request.
    transaction.disarm();
    this.#send(transaction);
  }

  #pause(transaction: Transaction, pauseMs: number): void {
    this.#table.release(transaction);
    transaction.state = "paused";
    transaction.arm(
      this.#options.clock.schedule(pauseMs, () => {
        this.#table.requeue(transaction);
        this.#pump();
      }),
    );
    this.#pump();
  }

  #expire(transaction: Transaction): void {
    this.#silence.onCutShort(transaction);
    transaction.reject(this.#error(transaction.lastOutcome === "busy" ? "VERBENA_SA_BUSY" : "VERBENA_SA_TIMEOUT"));
  }

  #watchAbort(transaction: Transaction): void {
    const signal = transaction.query.signal;
    if (signal === undefined) return;
    const abort = (): void => {
      this.#silence.onCutShort(transaction);
      transaction.reject(this.#error("VERBENA_SA_ABORTED", signal.reason));
    };
    signal.addEventListener("abort", abort, { once: true });
    transaction.onDone(() => {
      signal.removeEventListener("abort", abort);
    });
  }

  #name(): string {
    return `${this.#port.device}/${this.#port.port}`;
  }

  #error(code: SaErrorCode, cause?: unknown): VerbenaError {
    return saError(code, this.#name(), cause);
  }
}
