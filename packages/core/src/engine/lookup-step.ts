import type { Gid, Lid } from "@verbena/ib";
import type { CacheOrigin, CacheScope, NegativeEntry, PositiveEntry } from "../cache/cache-entry.js";
import { type FlightContext, FlightExpired, Flights } from "../cache/flights.js";
import { nextRefreshTime, refreshTime } from "../cache/refresh.js";
import { ResolutionCache } from "../cache/resolution-cache.js";
import type { Destination } from "../sdk/destination.js";
import type { LearnedEntry, ResolveContext } from "../sdk/provider.js";
import { askChain, type ChainLink } from "./chain.js";
import { breakerErrorOf, type ChainFailure, isStale, verdictOf } from "./chain-failure.js";
import type { CacheState } from "./explanation.js";
import type { LocalEndpoint, Moment } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
import { reportFault } from "./provider-call.js";
import { type Call, failedLookup, leftBehind, NotYet, noData, Restart } from "./request-call.js";

/** What a step looks up: one key under one endpoint. */
export interface Question<A, V extends object> {
  readonly key: string;
  readonly endpoint: LocalEndpoint;
  readonly subject: Destination;
  /** Providers to ask, in order, with what each does. */
  links(): readonly { readonly provider: string; readonly ask: (context: ResolveContext) => Promise<A | undefined> }[];
  /** Whether a provider of the chain is not there yet: what the others do not know it may know in a moment. */
  isAwaiting(): boolean;
  /** What the files say; they are looked at before anyone is asked. */
  fromFile(): { readonly value: V; readonly expiresAt: number } | undefined;
  /** What is kept of an answer. */
  keep(answer: A): V;
  /** GIDs and LIDs that an answer leads to. */
  ends(value: V): readonly (Gid | Lid)[];
  /** What is wrong with an answer's shape. */
  readonly check: (answer: A) => string | undefined;
  /** No entry of this question may live longer than that; `Infinity` = no such limit. */
  readonly latest: number;
}

/** An answer, and whether it was there already. */
export interface Found<V extends object> {
  readonly entry: PositiveEntry<V>;
  readonly wasCached: boolean;
}

export interface LookupStepOptions<V extends object> {
  readonly name: "address" | "route";
  readonly settings: EngineSettings;
  readonly ttlMs: number;
  readonly companionDelayMs: number | undefined;
  /** A lookup that goes to the providers has started. */
  readonly onQuery: (endpoint: LocalEndpoint) => void;
  /** A provider was silent: the port may not be what it seems. */
  readonly onSilence: (endpoint: LocalEndpoint) => void;
  readonly onLearned: (endpoint: LocalEndpoint, moment: Moment, provider: string, entry: LearnedEntry) => void;
  /** Something has been found, wherever it came from. */
  readonly onFound?: (endpoint: LocalEndpoint, entry: PositiveEntry<V>) => void;
}

/**
 * Share of the default deadline after which a lookup that everybody has left counts as failed: the requests' clocks start a little
 * before the lookup's.
 */
const FULL_SHARE = 0.9;

/** One step of the pipeline: cache, files, then the chain of providers, one lookup per key at a time. */
export class LookupStep<A extends { readonly ttlMs?: number }, V extends object> {
  readonly cache: ResolutionCache<V>;
  readonly flights: Flights<PositiveEntry<V>>;
  readonly #options: LookupStepOptions<V>;

  constructor(options: LookupStepOptions<V>) {
    this.#options = options;
    const { clock, cacheMaxEntries } = options.settings;
    this.cache = new ResolutionCache({ clock, maxEntries: cacheMaxEntries });
    this.flights = new Flights(clock, options.settings.deadlineMs * FULL_SHARE);
  }

  /** The living entry of a key; the fast path. One that is due for a refresh is left to {@link LookupStep.find}, which starts it. */
  peek(key: string, scope: CacheScope, now: number): PositiveEntry<V> | undefined {
    const entry = this.cache.get(key, scope, now);
    return entry === undefined || entry.refreshAt <= now ? undefined : entry;
  }

  /** Whether {@link LookupStep.find} would need nobody. */
  isKnown(question: Question<A, V>): boolean {
    const now = this.#options.settings.clock.now();
    if (this.cache.get(question.key, question.endpoint.scope, now) !== undefined) return true;
    const fromFile = question.fromFile();
    return fromFile !== undefined && fromFile.expiresAt > now;
  }

  /**
   * The answer to a question, from wherever it can be had. Rejects with the coded errors of the engine, with {@link Restart} when the
   * endpoint changed under the lookup, with {@link NotYet} when somebody would have to be asked and the request does not wait.
   */
  find(question: Question<A, V>, call: Call): Promise<Found<V>> {
    const work = (): Promise<Found<V>> => this.#find(question, call);
    return call.trace?.lookup(this.#options.name, question.subject.text, this.#stateOf(question), work) ?? work();
  }

  /** What {@link LookupStep.find} will meet, for an explanation. */
  #stateOf(question: Question<A, V>): { readonly cache: CacheState; readonly entry?: NegativeEntry | undefined } {
    const { key, endpoint } = question;
    const now = this.#options.settings.clock.now();
    const cached = this.cache.get(key, endpoint.scope, now);
    if (cached !== undefined) return { cache: cached.refreshAt <= now ? "due" : "hit" };
    if (this.isKnown(question)) return { cache: "file" };
    const entry = this.cache.getNegative(key, endpoint.scope, now);
    if (entry !== undefined) return { cache: "negative", entry };
    return { cache: this.flights.isUnderWay(key, endpoint.scope) ? "joined" : "miss" };
  }

  async #find(question: Question<A, V>, call: Call): Promise<Found<V>> {
    const { clock, deadlineMs } = this.#options.settings;
    const { key, endpoint } = question;
    const now = clock.now();
    const cached = this.cache.get(key, endpoint.scope, now) ?? this.#fromFile(question, now);
    if (cached !== undefined) {
      // What ends with its address gains nothing from a refresh before the address has had its own.
      if (cached.refreshAt <= now && question.latest > cached.expiresAt) this.#refresh(question, cached, call);
      return { entry: cached, wasCached: true };
    }
    const negative = this.cache.getNegative(key, endpoint.scope, now);
    if (negative !== undefined) {
      throw call.waits ? failedLookup(negative.reason, call.destination) : noData(call.destination);
    }
    if (!call.waits) throw new NotYet();
    const start = (context: FlightContext): Promise<PositiveEntry<V>> => this.#ask(question, call, context);
    const flight = { key, scope: endpoint.scope, subject: question.subject };
    const entry = await this.flights.join(flight, now + deadlineMs, start, call, call);
    return { entry, wasCached: false };
  }

  /** Puts in what a provider overheard; what may be wrong by now is dropped. */
  learn(question: Question<A, V>, moment: Moment, provider: string, answer: A): void {
    const wrong = question.check(answer);
    if (wrong !== undefined) reportFault(this.#options.settings, provider, `taught something wrong: ${wrong}`);
    else if (!question.endpoint.isPast(moment, question.ends(question.keep(answer))))
      this.#put(question, provider, "learned", answer);
  }

  /**
   * Looks up again what is still good, for those who ask later. It is a lookup like any other: it ends with its scope, and a request that
   * finds the entry expired meanwhile waits for it. When it fails the entry stays.
   */
  #refresh(question: Question<A, V>, entry: PositiveEntry<V>, call: Call): void {
    const { clock, deadlineMs } = this.#options.settings;
    entry.refreshAt = Number.POSITIVE_INFINITY;
    const deadline = clock.now() + deadlineMs;
    const background = leftBehind(call, deadline);
    const start = (context: FlightContext): Promise<PositiveEntry<V>> => this.#ask(question, background, context);
    const flight = { key: question.key, scope: question.endpoint.scope, subject: question.subject };
    this.flights.join(flight, deadline, start, background, background).catch(() => {
      entry.refreshAt = nextRefreshTime(clock.now(), entry.expiresAt);
    });
  }

  async #ask(question: Question<A, V>, call: Call, flight: FlightContext): Promise<PositiveEntry<V>> {
    const { settings, companionDelayMs, onQuery, onSilence, onLearned } = this.#options;
    const { endpoint } = question;
    const { moment } = endpoint;
    const { scope, heard } = moment;
    onQuery(endpoint);
    const isWholeChain = !question.isAwaiting();
    const links = question.links().map(
      ({ provider, ask }): ChainLink<A> => ({
        provider,
        ask: (signal) =>
          ask({
            endpoint: endpoint.endpoint,
            signal,
            deadline: flight.deadline,
            requestId: call.requestId,
            generation: scope.generation,
            noDelay: call.noDelay,
            learn: (entry) => {
              // Of a lookup that is begun again nothing is believed.
              if (!(flight.signal.reason instanceof Restart)) onLearned(endpoint, moment, provider, entry);
            },
          }),
      }),
    );
    const outcome = await askChain(links, {
      clock: settings.clock,
      deadline: flight.deadline,
      signal: flight.signal,
      companionDelayMs,
      check: question.check,
      ...(call.trace === undefined ? {} : { onEnd: (ended) => call.trace?.provider(ended) }),
    });
    // Whatever came, it is about a world that is gone, or about a destination that was flushed while the answer was on its way here.
    if (endpoint.scope !== scope || flight.signal.reason instanceof Restart) throw new Restart();
    // The SA has spoken of this destination meanwhile: the answer may be older than what it said.
    if (outcome.found && endpoint.notices.hasChanged(heard, question.ends(question.keep(outcome.answer))))
      throw new Restart();
    if (outcome.found) return this.#put(question, outcome.provider, "provider", outcome.answer);
    const reason: unknown = flight.signal.reason;
    if (flight.signal.aborted && !(reason instanceof FlightExpired)) throw call.aborted(reason);
    this.#report(question, call, outcome.failures);
    if (outcome.failures.some(({ kind }) => kind === "timeout")) onSilence(endpoint);
    if (endpoint.scope !== scope || isStale(outcome.failures)) throw new Restart();
    // After a notice the failure may be about the time before it.
    const isToday = endpoint.notices.position === heard;
    throw this.#fail(question, call, outcome.failures, isWholeChain && isToday);
  }

  #put(question: Question<A, V>, provider: string, origin: CacheOrigin, answer: A): PositiveEntry<V> {
    const { settings, ttlMs } = this.#options;
    const createdAt = settings.clock.now();
    const expiresAt = Math.min(createdAt + (answer.ttlMs ?? ttlMs), question.latest);
    const entry: PositiveEntry<V> = {
      state: "positive",
      key: question.key,
      scope: question.endpoint.scope,
      subject: question.subject,
      provider,
      origin,
      value: question.keep(answer),
      createdAt,
      expiresAt,
      refreshAt: refreshTime(createdAt, expiresAt, settings.refreshShare),
    };
    return this.#keep(question.endpoint, entry);
  }

  #fromFile(question: Question<A, V>, now: number): PositiveEntry<V> | undefined {
    const { endpoint, key, subject } = question;
    const found = question.fromFile();
    if (found === undefined || found.expiresAt <= now) return undefined;
    const createdAt = endpoint.files?.loadedAt ?? now;
    const expiresAt = Math.min(found.expiresAt, question.latest);
    const entry: PositiveEntry<V> = {
      state: "positive",
      key,
      scope: endpoint.scope,
      subject,
      provider: "file",
      origin: "file",
      value: found.value,
      createdAt,
      expiresAt,
      refreshAt: refreshTime(createdAt, expiresAt, this.#options.settings.refreshShare),
    };
    return this.#keep(endpoint, entry);
  }

  #keep(endpoint: LocalEndpoint, entry: PositiveEntry<V>): PositiveEntry<V> {
    this.cache.put(entry);
    this.#options.onFound?.(endpoint, entry);
    return entry;
  }

  /** The chain has failed. For good: remembered for a moment, so that a thousand clients of a dead name do not ask a thousand times. */
  #fail(question: Question<A, V>, call: Call, failures: readonly ChainFailure[], isForGood: boolean): Error {
    const { settings } = this.#options;
    const reason = verdictOf(failures);
    const leftAlone = breakerErrorOf(failures);
    // Nothing has been learnt, and asking again costs the SA nothing.
    if (leftAlone !== undefined && reason.kind !== "sa-status") return leftAlone;
    const [first] = failures;
    const createdAt = settings.clock.now();
    const isRefresh = this.cache.get(question.key, question.endpoint.scope, createdAt) !== undefined;
    if (isForGood && first !== undefined && settings.negativeTtlMs > 0 && !isRefresh) {
      this.cache.putNegative({
        state: "negative",
        key: question.key,
        scope: question.endpoint.scope,
        subject: question.subject,
        provider: failures.at(-1)?.provider ?? "",
        reason,
        createdAt,
        expiresAt: createdAt + settings.negativeTtlMs,
      });
    }
    const cause = failures.find((failure) => "error" in failure);
    return failedLookup(reason, call.destination, cause !== undefined && "error" in cause ? cause.error : undefined);
  }

  #report(question: Question<A, V>, call: Call, failures: readonly ChainFailure[]): void {
    const { settings, name } = this.#options;
    for (const failure of failures) {
      if (failure.kind === "fault") reportFault(settings, failure.provider, failure.what, failure.error);
    }
    settings.logger.debug(`${name} not found`, {
      requestId: call.requestId,
      endpoint: question.endpoint.key,
      destination: call.destination,
      failures: failures.map(({ provider, kind }) => `${provider}: ${kind}`),
    });
  }
}
