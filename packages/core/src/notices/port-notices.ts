import { VerbenaError } from "@verbena/ib";
import type { UmadService } from "@verbena/native";
import type { LossBook } from "../losses/loss-book.js";
import { errnoOf } from "../sa-client/sa-error.js";
import type { Port } from "../sdk/endpoint.js";
import type { SaNotice } from "../sdk/sa-notice.js";
import type { Clock, Logger, Metrics, Random, SaQuery, SaService } from "../sdk/services.js";
import { NoticeBatches } from "./notice-batches.js";
import { ReportAgent } from "./report-agent.js";
import { subscribe, subscriptionQueries } from "./subscribe.js";
import { type SubscriptionPhase, type SubscriptionSignal, stepSubscription } from "./subscription-machine.js";

/** Linux: another agent has the method. */
const EINVAL = 22;
const TAKEN_REMEDY =
  "Another program on this port (srp_daemon, a second daemon) receives the reports of the SA: stop it, or set `sa.notices: false` to do without.";
const REFUSED_REMEDY =
  "Let the SA take subscriptions (InformInfo) of this host, or set `sa.notices: false` to do without and shorten `caches.route.ttlMs`.";
/** An engine whose place this one takes has the reports until it is closed: only who still has them at the second try is named. */
const TOLD_AT = 2;

/** First pause before registering or asking again, milliseconds; doubles up to {@link PAUSE_CAP_MS}; the upper half is drawn by lot. */
const PAUSE_MS = 1_000;
const PAUSE_CAP_MS = 60_000;
/** How long a subscription is left as it is. */
const REST_MS = 3_600_000;

/**
 * How a port hears of changes elsewhere. `subscribed`: by the SA's notices. `asking`: not yet. `refused`: the SA gives none. `taken`: another
 * program of this host gets the reports of the port. `off`: not wanted. Without notices, time to live is what bounds a stale answer.
 */
export type NoticeState = "subscribed" | "asking" | "refused" | "taken" | "off";

export interface PortNoticesOptions {
  readonly umad: UmadService;
  readonly sa: SaService;
  /** Says something to the SA at once, and waits for no answer. */
  readonly tell: (query: SaQuery) => void;
  readonly port: Port;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Learns that the port's notices are lost, and why. */
  readonly losses: LossBook;
  readonly onNotices: (notices: readonly SaNotice[]) => void;
  /** Notices have been missed, or were too many to be kept: anything may have changed. */
  readonly onMissed: (reason: string) => void;
}

/** Keeps one port subscribed to the SA's notices, and hands on what they say. */
export class PortNotices {
  readonly #options: PortNoticesOptions;
  readonly #batches: NoticeBatches;
  #port: Port;
  #phase: SubscriptionPhase = "unregistered";
  #trouble: "refused" | "taken" | "silent" | undefined;
  #timesTaken = 0;
  /**
   * There has been time without a subscription: since the port was opened, since the SM became another or forgot us, since reports were lost.
   * What changed then was announced to nobody here, so what was learnt then may be wrong, up to the moment of the grant.
   */
  #hasGap = true;
  #pauses = 0;
  #settle: () => void = () => undefined;
  /** The first try has had its outcome, whichever. What is asked from then on is not asked again because of the grant. */
  readonly tried = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });
  #agent: ReportAgent | undefined;
  #cancelPause: () => void = () => undefined;
  #round = new AbortController();
  readonly #goodbyes = new Set<Promise<void>>();

  constructor(options: PortNoticesOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#batches = new NoticeBatches({
      clock: options.clock,
      onBatch: options.onNotices,
      onFlood: () => {
        options.onMissed("more SA notices than can be kept");
      },
    });
  }

  get state(): NoticeState {
    if (this.#phase === "subscribed") return "subscribed";
    if (this.#trouble === "taken" && this.#phase === "unregistered") return "taken";
    return this.#trouble === "refused" ? "refused" : "asking";
  }

  start(): void {
    this.#step("due");
  }

  /** The same port with another SM, or an SM that has forgotten who subscribed. */
  renew(port: Port): void {
    this.#port = port;
    this.#hasGap = true;
    this.#agent?.update(port);
    this.#step("renewed");
  }

  /** Ends the subscription if the port is still there to do so. Idempotent. */
  async close(isPortActive: boolean): Promise<void> {
    const { tell } = this.#options;
    const agent = this.#agent;
    const wasSubscribed = this.#phase === "subscribed" || this.#phase === "asking";
    this.#step("close");
    this.#batches.close();
    this.#settle();
    this.#options.losses.forget(this.#loss);
    this.#agent = undefined;
    if (isPortActive && wasSubscribed && agent !== undefined) {
      // Sent, not waited for. The agent is given up afterwards: while it is ours nobody else on this port can have subscribed.
      for (const query of subscriptionQueries(false)) tell(query);
    }
    await agent?.close();
    await Promise.all(this.#goodbyes);
  }

  #step(signal: SubscriptionSignal): void {
    const { next, action } = stepSubscription(this.#phase, signal);
    this.#phase = next;
    if (action === "none" && signal !== "close") return;
    this.#cancelPause();
    this.#round.abort();
    switch (action) {
      case "none":
        return;
      case "register":
        this.#register();
        return;
      case "ask":
        void this.#ask();
        return;
      case "pause":
        this.#hasGap = true;
        this.#settle();
        this.#pause(this.#nextPause());
        return;
      case "rest":
        this.#pause(REST_MS * (0.5 + this.#options.random() / 2));
        return;
      default:
        action satisfies never;
    }
  }

  #register(): void {
    const { umad, clock, metrics } = this.#options;
    try {
      const agent: ReportAgent = new ReportAgent({
        umad,
        port: this.#port,
        clock,
        metrics,
        onNotice: (notice) => {
          if (this.#agent === agent) this.#batches.add(notice);
        },
        onFailure: (cause) => {
          if (this.#agent === agent) this.#dropAgent(agent, cause);
        },
      });
      this.#agent = agent;
    } catch (error) {
      this.#trouble = "taken";
      this.#timesTaken += 1;
      if (this.#timesTaken >= TOLD_AT) this.#lose(error, errnoOf(error) === EINVAL ? TAKEN_REMEDY : undefined);
      this.#step("taken");
      return;
    }
    this.#timesTaken = 0;
    this.#step("registered");
  }

  #dropAgent(agent: ReportAgent, cause: unknown): void {
    this.#agent = undefined;
    const closing = agent.close().catch(() => undefined);
    this.#goodbyes.add(closing);
    void closing.finally(() => this.#goodbyes.delete(closing));
    this.#options.logger.warn("the agent for SA notices failed", { cause: String(cause) });
    this.#step("lost");
  }

  async #ask(): Promise<void> {
    const round = new AbortController();
    this.#round = round;
    const isOver = (): boolean => this.#round !== round || round.signal.aborted;
    try {
      const status = await subscribe(this.#options.sa, round.signal);
      if (isOver()) return;
      if (status === 0) this.#granted();
      else {
        this.#trouble = "refused";
        this.#lose(
          `the SA refuses a subscription with status 0x${status.toString(16).padStart(4, "0")}`,
          REFUSED_REMEDY,
        );
        this.#step("refused");
      }
    } catch (error) {
      if (isOver()) return;
      // Once per silence, not once per try.
      if (this.#trouble !== "silent") {
        const code = VerbenaError.is(error) ? error.code : String(error);
        this.#options.logger.info("the SA does not answer a subscription to notices", { code });
      }
      this.#trouble = "silent";
      this.#step("failed");
    }
  }

  #granted(): void {
    const { logger, losses, onMissed } = this.#options;
    if (this.#trouble === "silent") logger.info("SA notices are received again");
    losses.regain(this.#loss);
    this.#trouble = undefined;
    this.#pauses = 0;
    const hadGap = this.#hasGap;
    this.#hasGap = false;
    this.#step("granted");
    if (hadGap) onMissed("SA notices may have been missed");
    this.#settle();
  }

  get #loss(): string {
    return `notices of ${portName(this.#port)}`;
  }

  #lose(cause: unknown, remedy: string | undefined): void {
    const what = `SA notices on ${portName(this.#port)}: changes elsewhere are followed only when entries expire`;
    this.#options.losses.lose(this.#loss, what, cause, remedy);
  }

  #nextPause(): number {
    const full = Math.min(PAUSE_CAP_MS, PAUSE_MS * 2 ** Math.min(this.#pauses, 20));
    this.#pauses += 1;
    return full * (0.5 + this.#options.random() / 2);
  }

  #pause(ms: number): void {
    this.#cancelPause = this.#options.clock.schedule(ms, () => {
      this.#step("due");
    });
  }
}

function portName({ device, port }: Port): string {
  return `${device}/${String(port)}`;
}
