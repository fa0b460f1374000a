import { VerbenaError } from "@verbena/ib";
import type { UmadService } from "@verbena/native";
import { errnoOf } from "../sa-client/sa-error.js";
import type { Port } from "../sdk/endpoint.js";
import type { SaNotice } from "../sdk/sa-notice.js";
import type { Clock, Logger, Metrics, Random, SaService } from "../sdk/services.js";
import { NoticeBatches } from "./notice-batches.js";
import { ReportAgent } from "./report-agent.js";
import { setSubscriptions } from "./subscribe.js";
import { type SubscriptionPhase, type SubscriptionSignal, stepSubscription } from "./subscription-machine.js";

/** Linux: another agent has the method. */
const EINVAL = 22;
const TAKEN_HINT = "another program on this port (srp_daemon, a second daemon) receives the reports of the SA";

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
  readonly port: Port;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly logger: Logger;
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
  /** Time without a subscription since there was one, or since the port was opened. */
  #hasGap = false;
  #pauses = 0;
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
    this.#agent?.update(port);
    this.#step("renewed");
  }

  /** Ends the subscription if the port is still there to do so. Idempotent. */
  async close(isPortActive: boolean): Promise<void> {
    const { sa } = this.#options;
    const agent = this.#agent;
    const wasSubscribed = this.#phase === "subscribed" || this.#phase === "asking";
    this.#step("close");
    this.#batches.close();
    this.#agent = undefined;
    if (isPortActive && wasSubscribed && agent !== undefined) {
      // Sent, not waited for. The agent is given up afterwards: while it is ours nobody else on this port can have subscribed.
      void setSubscriptions(sa, false).catch(() => undefined);
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
          if (this.#agent === agent) this.#lose(agent, cause);
        },
      });
      this.#agent = agent;
    } catch (error) {
      this.#tell("taken", "SA notices cannot be received: changes are followed when entries expire", {
        error: VerbenaError.is(error) ? error.message : String(error),
        hint: errnoOf(error) === EINVAL ? TAKEN_HINT : VerbenaError.is(error) ? error.hint : undefined,
      });
      this.#step("taken");
      return;
    }
    this.#step("registered");
  }

  #lose(agent: ReportAgent, cause: unknown): void {
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
      const status = await setSubscriptions(this.#options.sa, true, round.signal);
      if (isOver()) return;
      if (status === 0) this.#granted();
      else {
        const fields = { status: `0x${status.toString(16).padStart(4, "0")}` };
        this.#tell("refused", "the SA refuses to send notices: changes are followed when entries expire", fields);
        this.#step("refused");
      }
    } catch (error) {
      if (isOver()) return;
      this.#tell("silent", "the SA does not answer a subscription to notices", {
        code: VerbenaError.is(error) ? error.code : String(error),
      });
      this.#step("failed");
    }
  }

  #granted(): void {
    const { logger, onMissed } = this.#options;
    if (this.#trouble !== undefined) logger.info("SA notices are received again");
    this.#trouble = undefined;
    this.#pauses = 0;
    const hadGap = this.#hasGap;
    this.#hasGap = false;
    this.#step("granted");
    if (hadGap) onMissed("SA notices may have been missed");
  }

  /** Once per kind of trouble, not once per try. */
  #tell(trouble: "refused" | "taken" | "silent", text: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#trouble === trouble) return;
    this.#trouble = trouble;
    this.#options.logger[trouble === "silent" ? "info" : "warn"](text, fields);
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
