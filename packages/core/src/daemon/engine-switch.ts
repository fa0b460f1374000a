import type { CachedResolver } from "../acm/acm-handler.js";
import type {
  AcmCounters,
  CacheEntry,
  ClientUsages,
  EndpointStatus,
  EngineChange,
  Explanation,
  GroupCheck,
  PathRequest,
  ProviderReport,
  ProviderWatch,
  ResolveAnswer,
  ResolveRequest,
  ResolverEngine,
  SaPassThrough,
  SaPassThroughAnswer,
  SaPortStatus,
  SourceSpec,
} from "../engine/contract.js";
import type { Footing } from "../engine/footing.js";
import type { LostFunction } from "../losses/loss-book.js";
import type { Destination } from "../sdk/destination.js";

/** What the edges hold of the engine: always the current one, whichever that is after a reload. */
export class EngineSwitch implements ResolverEngine, CachedResolver {
  #current: ResolverEngine & CachedResolver;
  /** Requests in work, by the engine that has them. */
  readonly #inWork = new Map<ResolverEngine, number>();
  readonly #idle = new Map<ResolverEngine, () => void>();
  readonly #onExchange = new Set<(reason: string) => void>();

  /** `onExchange` is called at each exchange, before anybody is served by the new engine. */
  constructor(
    engine: ResolverEngine & CachedResolver,
    private readonly onExchange: () => void = () => undefined,
  ) {
    this.#current = engine;
  }

  get current(): ResolverEngine {
    return this.#current;
  }

  /**
   * Puts another engine in place: requests from now on go there. Resolves when the old one has answered all it had in work; then it
   * can be closed without anybody noticing.
   */
  exchange(engine: ResolverEngine & CachedResolver, reason: string): Promise<void> {
    const old = this.#current;
    this.#current = engine;
    this.onExchange();
    for (const follow of [...this.#onExchange]) follow(reason);
    if ((this.#inWork.get(old) ?? 0) === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.set(old, resolve);
    });
  }

  resolve(request: ResolveRequest): Promise<ResolveAnswer> {
    return this.#track((engine) => engine.resolve(request));
  }

  explain(request: ResolveRequest): Promise<Explanation> {
    return this.#track((engine) => engine.explain(request));
  }

  checkGroups(request: ResolveRequest): Promise<GroupCheck> {
    return this.#track((engine) => engine.checkGroups(request));
  }

  resolvePath(request: PathRequest): Promise<ResolveAnswer> {
    return this.#track((engine) => engine.resolvePath(request));
  }

  querySa(request: SaPassThrough): Promise<SaPassThroughAnswer> {
    return this.#track((engine) => engine.querySa(request));
  }

  tryResolveCached(request: ResolveRequest, footing?: Footing): ResolveAnswer | undefined {
    return this.#current.tryResolveCached?.(request, footing);
  }

  tryResolvePathCached(request: PathRequest, footing?: Footing): ResolveAnswer | undefined {
    return this.#current.tryResolvePathCached?.(request, footing);
  }

  endpoints(): readonly EndpointStatus[] {
    return this.#current.endpoints();
  }

  endpointOf(source: SourceSpec): EndpointStatus | undefined {
    return this.#current.endpointOf(source);
  }

  counters(): AcmCounters {
    return this.#current.counters();
  }

  clients(): ClientUsages {
    return this.#current.clients();
  }

  lostFunctions(): readonly LostFunction[] {
    return this.#current.lostFunctions();
  }

  saPorts(): readonly SaPortStatus[] {
    return this.#current.saPorts();
  }

  cacheEntries(): readonly CacheEntry[] {
    return this.#current.cacheEntries();
  }

  flush(destination?: Destination): number {
    return this.#current.flush(destination);
  }

  /** Goes on with the next engine when they are exchanged; a `flushed` says so. */
  changes(signal?: AbortSignal): AsyncGenerator<EngineChange> {
    return this.#follow<EngineChange>(
      signal,
      (engine, until) => engine.changes(until),
      (reason) => ({ type: "flushed", reason }),
    );
  }

  /** The same; a `restarted` says so. */
  providerEvents({ signal, ...watch }: ProviderWatch = {}): AsyncGenerator<ProviderReport> {
    return this.#follow<ProviderReport>(
      signal,
      (engine, until) => engine.providerEvents({ ...watch, signal: until }),
      (reason) => ({ type: "restarted", reason }),
    );
  }

  close(): Promise<void> {
    return this.#current.close();
  }

  async *#follow<T>(
    signal: AbortSignal | undefined,
    open: (engine: ResolverEngine, until: AbortSignal) => AsyncIterable<T>,
    exchanged: (reason: string) => T,
  ): AsyncGenerator<T> {
    let reason: string | undefined;
    let leave = new AbortController();
    const follow = (why: string): void => {
      reason = why;
      leave.abort();
    };
    this.#onExchange.add(follow);
    try {
      while (signal?.aborted !== true) {
        const engine = this.#current;
        yield* open(engine, signal === undefined ? leave.signal : AbortSignal.any([signal, leave.signal]));
        // An engine that ends by itself is closed, and so is the switch, unless another one has taken its place.
        if (reason === undefined) return;
        yield exchanged(reason);
        reason = undefined;
        leave = new AbortController();
      }
    } finally {
      this.#onExchange.delete(follow);
      leave.abort();
    }
  }

  async #track<T>(ask: (engine: ResolverEngine) => Promise<T>): Promise<T> {
    const engine = this.#current;
    this.#inWork.set(engine, (this.#inWork.get(engine) ?? 0) + 1);
    try {
      return await ask(engine);
    } finally {
      const left = (this.#inWork.get(engine) ?? 1) - 1;
      if (left > 0) this.#inWork.set(engine, left);
      else {
        this.#inWork.delete(engine);
        this.#idle.get(engine)?.();
        this.#idle.delete(engine);
      }
    }
  }
}
