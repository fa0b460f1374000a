import type { CacheOrigin, CacheScope, NegativeEntry, PositiveEntry } from "../cache/cache-entry.js";
import { type DestinationSight, stepLookup, stepWant } from "../cache/destination-machine.js";
import type { NewEntry, ValueCodec } from "../cache/entry-rows.js";
import { type FlightContext, Flights } from "../cache/flights.js";
import { nextConfirmTime, nextRefreshTime, type RefreshRule, refreshTime } from "../cache/refresh.js";
import { ResolutionCache } from "../cache/resolution-cache.js";
import type { LearnedEntry } from "../sdk/provider.js";
import { askChain, type ChainLink } from "./chain.js";
import { type ChainFailure, verdictOf } from "./chain-failure.js";
import type { CacheState } from "./explanation.js";
import type { LocalEndpoint, Moment } from "./local-endpoint.js";
import { chainError, type Ended, endingSignal, isLeft, isVoid } from "./lookup-ending.js";
import type { EngineSettings } from "./options.js";
import { reportFault } from "./provider-call.js";
import type { Question } from "./question.js";
import { type Call, failedLookup, leftBehind, NotYet, noData, Restart } from "./request-call.js";

/** An answer, and whether it was there already. */
export interface Found<V extends object> {
  readonly entry: PositiveEntry<V>;
  readonly wasCached: boolean;
}

export interface LookupStepOptions<V extends object> {
  readonly name: "address" | "route";
  /** How values are kept. */
  readonly codec: ValueCodec<V>;
  readonly settings: EngineSettings;
  readonly ttlMs: number;
  /** Age at which an entry that did not come from a file is refreshed. */
  readonly refreshMs: number;
  readonly companionDelayMs: number | undefined;
  /** A lookup that goes to the providers has started. */
  readonly onQuery: (endpoint: LocalEndpoint) => void;
  /** A provider was silent: the port may not be what it seems. */
  readonly onSilence: (endpoint: LocalEndpoint) => void;
  readonly onLearned: (endpoint: LocalEndpoint, moment: Moment, provider: string, entry: LearnedEntry) => void;
  /**
   * What of a value is still believed when the surroundings of its endpoint have changed, until somebody says otherwise. Absent, or `undefined`:
   * nothing.
   */
  readonly outlives?: (value: V, endpoint: LocalEndpoint) => V | undefined;
  /** Something has been found, wherever it came from. */
  readonly onFound?: (endpoint: LocalEndpoint, entry: PositiveEntry<V>) => void;
}

/** What there is of a destination at one moment. */
type Held<V> = { readonly sight: DestinationSight } & (
  | { readonly phase: "known" | "due" | "kept"; readonly entry: PositiveEntry<V> }
  | { readonly phase: "failed"; readonly entry: NegativeEntry }
  | { readonly phase: "unknown"; readonly entry?: undefined }
);

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
  readonly #refreshRule: RefreshRule;

  constructor(options: LookupStepOptions<V>) {
    this.#options = options;
    this.#refreshRule = { share: options.settings.refreshShare, ageMs: options.refreshMs };
    const { clock, cacheMaxEntries, onLost } = options.settings;
    this.cache = new ResolutionCache({ clock, maxEntries: cacheMaxEntries, codec: options.codec, onGone: onLost });
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
    const held = this.#held(question, this.#options.settings.clock.now());
    if (held.entry?.state !== "positive" && this.isKnown(question)) return { cache: "file" };
    switch (held.phase) {
      case "known":
        return { cache: "hit" };
      case "due":
        return { cache: "due" };
      case "kept":
        return { cache: "kept" };
      case "failed":
        return { cache: "negative", entry: held.entry };
      case "unknown":
        return { cache: held.sight === "asked" ? "joined" : "miss" };
      default:
        return held satisfies never;
    }
  }

  /** What there is of a destination. `found`: an entry just taken from a file, else the cache is looked into. */
  #held({ key, endpoint, latest }: Question<A, V>, now: number, found?: PositiveEntry<V>): Held<V> {
    const entry = found ?? this.cache.get(key, endpoint.scope, now);
    const isNew = entry !== undefined && now < entry.createdAt + this.#refreshRule.ageMs;
    const isBound =
      entry !== undefined && (entry.keptAt === undefined ? isNew && latest <= entry.expiresAt : entry.refreshAt > now);
    const sight = this.flights.isUnderWay(key, endpoint.scope) ? "asked" : isBound ? "bound" : "idle";
    if (entry?.keptAt !== undefined) return { phase: "kept", sight, entry };
    if (entry !== undefined) return { phase: entry.refreshAt <= now ? "due" : "known", sight, entry };
    const failure = this.cache.getNegative(key, endpoint.scope, now);
    return failure === undefined ? { phase: "unknown", sight } : { phase: "failed", sight, entry: failure };
  }

  async #find(question: Question<A, V>, call: Call): Promise<Found<V>> {
    const { clock, deadlineMs } = this.#options.settings;
    const { key, endpoint } = question;
    const now = clock.now();
    const cached = this.cache.get(key, endpoint.scope, now) ?? this.#fromFile(question, now);
    const held = this.#held(question, now, cached);
    const want = call.waits ? "request" : "glance";
    switch (held.phase) {
      case "known":
      case "due":
      case "kept": {
        const { action } = stepWant(held.phase, held.sight, want);
        if (action === "refresh") this.#refresh(question, held.entry, call);
        return { entry: held.entry, wasCached: true };
      }
      case "failed": {
        const { action } = stepWant(held.phase, held.sight, want);
        throw action === "refuse" ? failedLookup(held.entry.reason, call.destination) : noData(call.destination);
      }
      case "unknown": {
        if (stepWant(held.phase, held.sight, want).action === "not-yet") throw new NotYet();
        return this.#join(question, call, now + deadlineMs);
      }
      default:
        return held satisfies never;
    }
  }

  /**
   * What somebody has said since the surroundings of the endpoint changed: a kept entry is not enough, the lookup under way, or a new one, is waited for.
   * Rejects as {@link LookupStep.find}.
   */
  confirm(question: Question<A, V>, call: Call): Promise<Found<V>> {
    const { clock, deadlineMs } = this.#options.settings;
    const now = clock.now();
    if (this.#held(question, now).phase !== "kept") return this.find(question, call);
    const work = (): Promise<Found<V>> => this.#join(question, call, now + deadlineMs);
    return call.trace?.lookup(this.#options.name, question.subject.text, { cache: "kept" }, work) ?? work();
  }

  async #join(question: Question<A, V>, call: Call, deadline: number): Promise<Found<V>> {
    const start = (context: FlightContext): Promise<PositiveEntry<V>> => this.#ask(question, call, context);
    const flight = { key: question.key, scope: question.endpoint.scope, subject: question.subject };
    return { entry: await this.flights.join(flight, deadline, start, call, call), wasCached: false };
  }

  /**
   * The surroundings of these endpoints have changed: keeps what outlives that, in doubt, and drops the rest; lookups are begun again. Returns how
   * many entries there were.
   */
  doubt(endpoints: ReadonlyMap<string, LocalEndpoint>): number {
    const { outlives, settings } = this.#options;
    const keptAt = settings.clock.now();
    this.flights.end(({ scope }) => endpoints.has(scope.prefix), new Restart());
    const kept = new Set<string>();
    this.cache.replace((entry) => {
      const endpoint = endpoints.get(entry.scope.prefix);
      // What a file says is read from there again.
      if (endpoint === undefined || entry.origin === "file") return undefined;
      const value = outlives?.(entry.value, endpoint);
      if (value === undefined) return undefined;
      const other = { ...entry, scope: endpoint.scope, value, refreshAt: keptAt, keptAt: entry.keptAt ?? keptAt };
      kept.add(entry.key);
      return other;
    });
    return kept.size + this.cache.drop((entry) => endpoints.has(entry.scope.prefix) && !kept.has(entry.key));
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
    this.cache.setRefreshAt(entry, Number.POSITIVE_INFINITY);
    const deadline = clock.now() + deadlineMs;
    const background = leftBehind(call, deadline);
    const start = (context: FlightContext): Promise<PositiveEntry<V>> => this.#ask(question, background, context);
    const flight = { key: question.key, scope: question.endpoint.scope, subject: question.subject };
    this.flights.join(flight, deadline, start, background, background).catch((error: unknown) => {
      const now = clock.now();
      const { keptAt, expiresAt } = entry;
      const next =
        keptAt === undefined ? nextRefreshTime(now, expiresAt, this.#refreshRule) : nextConfirmTime(now, keptAt);
      this.cache.setRefreshAt(entry, error instanceof Restart ? now : next);
      // Who keeps answers has seen no time at which it is to be asked for again.
      this.#options.settings.onLost(entry.ground);
    });
  }

  async #ask(question: Question<A, V>, call: Call, flight: FlightContext): Promise<PositiveEntry<V>> {
    const { settings, companionDelayMs, onQuery, onLearned } = this.#options;
    const { endpoint } = question;
    const { moment } = endpoint;
    const { scope } = moment;
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
            ...(call.source === undefined ? {} : { source: call.source }),
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
    return this.#end(question, call, { endpoint, flight, moment, outcome, isWholeChain });
  }

  /** Keeps what a lookup has led to, as the destination's machine says, and gives or throws it to those who wait. */
  #end(question: Question<A, V>, call: Call, ended: Ended<A>): PositiveEntry<V> {
    const { settings, onSilence } = this.#options;
    const { endpoint, flight, outcome } = ended;
    if (!outcome.found && !isVoid(ended) && !isLeft(flight)) {
      this.#report(question, call, outcome.failures);
      if (outcome.failures.some(({ kind }) => kind === "timeout")) onSilence(endpoint);
    }
    const { phase, sight, entry } = this.#held(question, settings.clock.now());
    const signal = endingSignal({ ...ended, finder: entry?.provider }, (answer) =>
      question.ends(question.keep(answer)),
    );
    const { action } = stepLookup(phase, sight, signal);
    if (action === "restart") throw new Restart();
    if (outcome.found) return this.#put(question, outcome.provider, "provider", outcome.answer);
    if (action === "leave") throw call.aborted(flight.signal.reason);
    if (action === "remember") this.#remember(question, outcome.failures);
    throw chainError(outcome.failures, call.destination);
  }

  #put(question: Question<A, V>, provider: string, origin: CacheOrigin, answer: A): PositiveEntry<V> {
    const { settings, ttlMs } = this.#options;
    const createdAt = settings.clock.now();
    const expiresAt = Math.min(createdAt + (answer.ttlMs ?? ttlMs), question.latest);
    const entry: NewEntry<V> = {
      state: "positive",
      key: question.key,
      scope: question.endpoint.scope,
      subject: question.subject,
      provider,
      origin,
      value: question.keep(answer),
      createdAt,
      expiresAt,
      refreshAt: refreshTime(createdAt, expiresAt, this.#refreshRule),
    };
    return this.#keep(question.endpoint, entry);
  }

  #fromFile(question: Question<A, V>, now: number): PositiveEntry<V> | undefined {
    const { endpoint, key, subject } = question;
    const found = question.fromFile();
    if (found === undefined || found.expiresAt <= now) return undefined;
    const createdAt = endpoint.files?.loadedAt ?? now;
    const expiresAt = Math.min(found.expiresAt, question.latest);
    const entry: NewEntry<V> = {
      state: "positive",
      key,
      scope: endpoint.scope,
      subject,
      provider: "file",
      origin: "file",
      value: found.value,
      createdAt,
      expiresAt,
      refreshAt: refreshTime(createdAt, expiresAt, { ...this.#refreshRule, ageMs: Number.POSITIVE_INFINITY }),
    };
    return this.#keep(endpoint, entry);
  }

  #keep(endpoint: LocalEndpoint, found: NewEntry<V>): PositiveEntry<V> {
    const entry = this.cache.put(found);
    this.#options.onFound?.(endpoint, entry);
    return entry;
  }

  /** Remembered for a moment, so that a thousand clients of a dead name do not ask a thousand times. */
  #remember({ key, endpoint, subject }: Question<A, V>, failures: readonly ChainFailure[]): void {
    const { settings } = this.#options;
    const createdAt = settings.clock.now();
    this.cache.putNegative({
      state: "negative",
      key,
      scope: endpoint.scope,
      subject,
      provider: failures.at(-1)?.provider ?? "",
      reason: verdictOf(failures),
      createdAt,
      expiresAt: createdAt + settings.negativeTtlMs,
    });
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
