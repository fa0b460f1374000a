import type { Clock, Logger, Random } from "@verbena/core/sdk";
import { Gid } from "@verbena/ib";
import type { RegistryCounters } from "./registry-counters.js";
import type { RegistryQueries } from "./registry-queries.js";
import type { RegistrationId } from "./registry-record.js";
import type { Turns } from "./turns.js";

/** What the registrations of an endpoint share. */
export interface RegistrationContext {
  readonly queries: RegistryQueries;
  readonly turns: Turns;
  readonly counters: RegistryCounters;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly leaseMs: number;
  readonly instance: bigint;
}

/** After a change that every host of the fabric sees at once: not all at once to the SA. */
const SPREAD_MS = 1_000;
/** A registration is renewed once soon after it was made: what it overtook, the end of a former daemon or engine, may have deleted it. */
const CONFIRM_MS = 5_000;
/** First pause after a failure; it doubles up to a quarter of the lease. */
const FIRST_PAUSE_MS = 1_000;
const LAST_CLAIM = 0xffff_ffff;

/**
 * One address in the SA, from its coming to its going: looked up (who had it?), registered, confirmed, renewed when between a half and two
 * thirds of the lease are over, deleted. A failure is tried again; the lease bounds what a daemon that vanishes leaves behind.
 */
export class Registration {
  readonly #id: RegistrationId;
  readonly #context: RegistrationContext;
  readonly #ended = new AbortController();
  #cancelTimer: () => void = () => undefined;
  #work: Promise<void> = Promise.resolve();
  #isAtWork = false;
  #isAsked = false;
  #mayBeThere = false;
  #isRegistered = false;
  #claim: number | undefined;
  #failures = 0;

  constructor(id: RegistrationId, context: RegistrationContext) {
    this.#id = id;
    this.#context = context;
  }

  /** Resolves when the SA has it, or has not taken it at the first try. */
  start(): Promise<void> {
    this.#work = this.#register();
    return this.#work;
  }

  /** The SA may have forgotten it. */
  renewSoon(): void {
    if (this.#ended.signal.aborted) return;
    this.#isRegistered = false;
    // What is under way may have reached the SA before the change, and would set the timer anew.
    if (this.#isAtWork) this.#isAsked = true;
    else this.#after(this.#context.random() * SPREAD_MS);
  }

  /** Stops renewing. */
  stop(): void {
    this.#cancelTimer();
    this.#ended.abort();
  }

  /** Stops renewing and deletes it, unless a later session of the same port has taken it over. Never rejects. */
  async withdraw(deadlineMs?: number): Promise<void> {
    const { queries, counters, logger, instance } = this.#context;
    this.stop();
    await this.#work;
    if (!this.#mayBeThere) return;
    try {
      const asking = deadlineMs === undefined ? {} : { deadlineMs };
      if (await queries.remove(this.#id, instance, asking)) counters.count("deleted");
    } catch (error) {
      counters.count("failed");
      logger.warn("a registration stays in the SA until its lease ends", { ...this.#fields(), error: String(error) });
    }
  }

  #after(delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#context.clock.schedule(delayMs, () => {
      this.#work = this.#register();
    });
  }

  async #register(): Promise<void> {
    const { turns, logger, random, leaseMs } = this.#context;
    this.#isAtWork = true;
    try {
      const isFirst = !this.#isRegistered;
      await turns.run(() => this.#try());
      this.#failures = 0;
      if (!this.#ended.signal.aborted)
        this.#after(isFirst ? CONFIRM_MS * (1 + random()) : leaseMs * (1 / 2 + random() / 6));
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      this.#context.counters.count("failed");
      if (this.#failures === 0) logger.warn("cannot register an address", { ...this.#fields(), error: String(error) });
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, leaseMs / 4);
      this.#failures += 1;
      this.#after((pauseMs * (1 + random())) / 2);
    } finally {
      this.#isAtWork = false;
      const isAsked = this.#isAsked;
      this.#isAsked = false;
      if (isAsked) this.renewSoon();
    }
  }

  async #try(): Promise<void> {
    const { queries, counters, logger, leaseMs, instance } = this.#context;
    const { signal } = this.#ended;
    if (signal.aborted) return;
    this.#claim ??= await this.#nextClaim();
    this.#mayBeThere = true;
    const leaseSeconds = Math.ceil(leaseMs / 1000);
    await queries.register({ ...this.#id, leaseSeconds, claim: this.#claim, instance }, { signal });
    counters.count(this.#isRegistered ? "renewed" : "registered");
    logger.debug(this.#isRegistered ? "an address is renewed" : "an address is registered", this.#fields());
    this.#isRegistered = true;
  }

  /** One more than that of any other port: who registers last has the address. */
  async #nextClaim(): Promise<number> {
    const { queries, logger } = this.#context;
    const { records } = await queries.find(this.#id, { signal: this.#ended.signal });
    const others = records.filter(({ gid }) => gid !== this.#id.gid);
    const [newest] = others;
    if (newest === undefined) return 1;
    const from = others.map(({ gid }) => Gid.format(gid));
    logger.info("an address is taken over from another port", { ...this.#fields(), from });
    return Math.min(newest.claim + 1, LAST_CLAIM);
  }

  #fields(): Readonly<Record<string, unknown>> {
    return { serviceName: this.#id.serviceName, gid: Gid.format(this.#id.gid) };
  }
}
