import { VerbenaError } from "@verbena/ib";
import { AddressBook } from "../addresses/address-book.js";
import { AddressWatch } from "../addresses/address-watch.js";
import type { AddressFileEntry } from "../addresses/local-addresses.js";
import { coreError } from "../errors.js";
import { choosePortSource } from "../ports/choose-source.js";
import { PortTable } from "../ports/port-table.js";
import type { Destination } from "../sdk/destination.js";
import { listCache } from "./cache-listing.js";
import { ChangeFeed } from "./change-feed.js";
import { ClientBook } from "./client-book.js";
import type {
  AcmCounters,
  CacheEntry,
  ClientIdentity,
  ClientUsages,
  EndpointStatus,
  EngineChange,
  Explanation,
  PathRequest,
  ResolveAnswer,
  ResolveRequest,
  ResolverEngine,
  SaPassThrough,
  SaPassThroughAnswer,
  SaPortStatus,
  SourceSpec,
} from "./contract.js";
import { CounterBook, readCounters } from "./counters.js";
import { chooseEndpoint } from "./endpoint-choice.js";
import { EndpointSelector, noEndpoint } from "./endpoint-selector.js";
import { Forgetting } from "./forgetting.js";
import { HostEndpoints, portName } from "./host-endpoints.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import { type EngineOptions, type EngineSettings, engineSettings } from "./options.js";
import { Pipeline } from "./pipeline.js";
import { type Call, makeCall, pathText, Restart } from "./request-call.js";
import { type Choose, countFailure, RequestLoop } from "./request-loop.js";
import { passThroughError, passThroughQuery } from "./sa-pass-through.js";
import { Trace } from "./trace.js";
import { settledWithin } from "./wait-for.js";

/** How long the start waits for the first listing of the host's IP addresses. */
const ADDRESS_WAIT_MS = 2_000;

/** The engine as its owner sees it. */
export interface EngineHandle extends ResolverEngine, AsyncDisposable {
  tryResolveCached(request: ResolveRequest): ResolveAnswer | undefined;
  tryResolvePathCached(request: PathRequest): ResolveAnswer | undefined;
  /** The address file was read again. */
  setAddressFile(entries: readonly AddressFileEntry[]): void;
  /** Looks for devices that came or went and reads every port again. */
  rescan(): void;
}

/**
 * Starts an engine: finds ports and addresses, opens the providers on them. Resolves when everything found has been opened, or has taken
 * longer than a request may. Throws VERBENA_ENGINE_CHAIN for a chain that names an unknown provider.
 */
export async function createEngine(options: EngineOptions): Promise<EngineHandle> {
  const engine = new Engine(engineSettings(options));
  try {
    await engine.start();
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}

class Engine implements EngineHandle {
  readonly #settings: EngineSettings;
  readonly #book: AddressBook;
  readonly #feed = new ChangeFeed();
  readonly #counters = new CounterBook();
  readonly #clients: ClientBook;
  /** Explanations being made, by request id. */
  readonly #traces = new Map<string, Trace>();
  readonly #pipeline: Pipeline;
  readonly #host: HostEndpoints;
  readonly #ports: PortTable;
  readonly #selector: EndpointSelector;
  readonly #forgetting: Forgetting;
  readonly #idPrefix: string;
  readonly #loop: RequestLoop;
  #watch: AddressWatch | undefined;
  #requests = 0;
  #closing: Promise<void> | undefined;

  constructor(settings: EngineSettings) {
    this.#settings = settings;
    const { native, clock, logger } = settings;
    this.#idPrefix = `${Math.floor(settings.random() * 0x1_0000)
      .toString(16)
      .padStart(4, "0")}-`;
    this.#clients = new ClientBook(settings.commandOf);
    this.#book = new AddressBook(settings.addressFile, settings.supportIpsInAddressFile);
    this.#pipeline = new Pipeline({
      settings,
      onSilence: ({ identity }) => {
        this.#ports.refresh(identity.device, identity.port);
      },
    });
    this.#forgetting = new Forgetting(this.#pipeline, this.#feed);
    const source = choosePortSource(native, clock, logger);
    this.#host = new HostEndpoints({
      settings,
      source,
      book: this.#book,
      counters: this.#counters,
      feed: this.#feed,
      saObserver: {
        onSent: ({ requestId }) => {
          this.#clients.saQuery(requestId);
        },
        onOutcome: (query, outcome, tookMs, status) => {
          if (this.#traces.size === 0 || query.requestId === undefined) return;
          this.#traces.get(query.requestId)?.sa(query, outcome, tookMs, status);
        },
      },
      onVoid: (endpoints) => {
        this.#forgetting.endpoints(endpoints, "the port has changed");
      },
      onLocalAddress: (key) => {
        this.#forgetting.destination(key);
      },
      onLearned: (endpoint, provider, entry) => {
        this.#pipeline.learn(endpoint, endpoint.scope, provider, entry);
      },
    });
    this.#ports = new PortTable(source, this.#host.onPort, logger);
    this.#selector = new EndpointSelector(settings, this.#host, this.#book);
    const isClosed = (): boolean => this.#closing !== undefined;
    this.#loop = new RequestLoop({ settings, host: this.#host, counters: this.#counters, isClosed });
  }

  async start(): Promise<void> {
    const { native, clock, logger, deadlineMs } = this.#settings;
    try {
      const onChange = this.#host.onAddress;
      this.#watch = new AddressWatch({ source: native.openAddressSource(), book: this.#book, logger, onChange });
      await settledWithin(clock, this.#watch.synced, ADDRESS_WAIT_MS);
    } catch (error) {
      logger.error("IP addresses of this host are not known", { error: String(error) });
    }
    this.#host.start(this.#ports);
    await settledWithin(clock, this.#host.settled(), deadlineMs);
  }

  resolve(request: ResolveRequest): Promise<ResolveAnswer> {
    const cached = this.tryResolveCached(request);
    if (cached !== undefined) return Promise.resolve(cached);
    const { destination, maxPaths = 1 } = request;
    const call = this.#call(destination.text, request);
    return this.#serve(call, request.client, async () => {
      const { endpoint, chosenSource } = await this.#selector.select(request, call);
      return {
        endpoint,
        work: async (of) => {
          const answer = await this.#pipeline.resolve(endpoint, destination, maxPaths, of);
          return chosenSource === undefined ? answer : { ...answer, chosenSource };
        },
      };
    });
  }

  async explain(request: ResolveRequest): Promise<Explanation> {
    const { clock } = this.#settings;
    const { destination, maxPaths = 1 } = request;
    const trace = new Trace(clock);
    const call = { ...this.#call(destination.text, request), trace };
    const { requestId, startedAt } = call;
    const explained = (outcome: Pick<Explanation, "answer" | "error">): Explanation => ({
      requestId,
      destination: destination.text,
      tookMs: clock.now() - startedAt,
      steps: trace.steps,
      ...outcome,
    });
    this.#traces.set(requestId, trace);
    try {
      const answer = await this.#serve(call, request.client, async () => {
        const { endpoint, chosenSource } = await trace.endpoint(() => this.#selector.select(request, call));
        return {
          endpoint,
          work: async (of) => {
            const found = await this.#pipeline.resolve(endpoint, destination, maxPaths, of);
            return chosenSource === undefined ? found : { ...found, chosenSource };
          },
        };
      });
      return explained({ answer });
    } catch (error) {
      if (!VerbenaError.is(error)) throw error;
      return explained({ error });
    } finally {
      this.#traces.delete(requestId);
    }
  }

  resolvePath(request: PathRequest): Promise<ResolveAnswer> {
    const cached = this.tryResolvePathCached(request);
    if (cached !== undefined) return Promise.resolve(cached);
    const call = this.#call(pathText(request), request);
    return this.#serve(call, request.client, () => {
      if (request.dlid === 0 && request.dgid === 0n) throw coreError("VERBENA_RESOLVE_DESTINATION");
      const endpoint = chooseEndpoint(this.#host.runtimes(), request);
      if (endpoint === undefined) throw noEndpoint("none fits the GIDs, LIDs and P_Key asked for");
      return { endpoint, work: (of) => this.#pipeline.resolvePath(endpoint, request, of) };
    });
  }

  tryResolveCached(request: ResolveRequest): ResolveAnswer | undefined {
    const endpoint = this.#selector.now(request);
    if (endpoint?.state !== "ready" || request.signal?.aborted === true) return undefined;
    return this.#hit(
      endpoint,
      request.client,
      this.#pipeline.peek(endpoint, request.destination, request.maxPaths ?? 1, this.#nextId),
    );
  }

  tryResolvePathCached(request: PathRequest): ResolveAnswer | undefined {
    if ((request.dlid === 0 && request.dgid === 0n) || request.signal?.aborted === true) return undefined;
    const endpoint = chooseEndpoint(this.#host.runtimes(), request);
    if (endpoint?.state !== "ready") return undefined;
    return this.#hit(endpoint, request.client, this.#pipeline.peekPath(endpoint, request, this.#nextId));
  }

  async querySa(request: SaPassThrough): Promise<SaPassThroughAnswer> {
    const call = this.#call("the SA", { client: request.client, ...(request.signal && { signal: request.signal }) });
    const { ends, query } = passThroughQuery(request, call.requestId, this.#settings.deadlineMs);
    this.#counters.core.resolve += 1;
    const usage = this.#clients.request(request.client, call.requestId, call.startedAt);
    let endpoint: LocalEndpoint | undefined;
    try {
      if (this.#closing !== undefined) throw coreError("VERBENA_RESOLVE_CLOSED");
      endpoint = chooseEndpoint(this.#host.runtimes(), ends);
      if (endpoint === undefined) throw noEndpoint("none fits the GIDs, LIDs and P_Key asked for");
      await this.#loop.untilReady(endpoint, call);
      const name = portName(endpoint.identity);
      const runtime = this.#host.runtimes().find(({ port }) => portName(port) === name);
      if (runtime === undefined) throw noEndpoint("none fits the GIDs, LIDs and P_Key asked for");
      const { status, records } = await runtime.sa.query(query);
      if (status !== 0) endpoint.counters.error += 1;
      return { madStatus: status, record: records[0] ?? Buffer.alloc(query.record.length) };
    } catch (caught) {
      const error =
        caught instanceof Restart
          ? noEndpoint("none fits the GIDs, LIDs and P_Key asked for")
          : passThroughError(caught);
      if (endpoint !== undefined) countFailure(endpoint.counters, error);
      usage.errors += 1;
      throw error;
    }
  }

  endpoints(): readonly EndpointStatus[] {
    return this.#host.endpoints().map((endpoint) => this.#status(endpoint));
  }

  endpointOf(source: SourceSpec): EndpointStatus | undefined {
    const endpoint = this.#selector.bySource(source);
    return endpoint && this.#status(endpoint);
  }

  counters(): AcmCounters {
    const living = new Map(this.#host.endpoints().map((endpoint) => [endpoint.key, endpoint]));
    return this.#counters.aggregate((key, counters) => readCounters(counters, living.get(key)?.sessions()));
  }

  clients(): ClientUsages {
    return { clients: this.#clients.list(this.#settings.clock.now()), forgotten: this.#clients.forgotten };
  }

  saPorts(): readonly SaPortStatus[] {
    return this.#host.runtimes().flatMap((runtime) => {
      const stats = runtime.saStats();
      const { device, port, smLid } = runtime.port;
      return stats === undefined ? [] : [{ device, port, smLid, ...stats }];
    });
  }

  cacheEntries(): readonly CacheEntry[] {
    const { clock, loopback } = this.#settings;
    return listCache(this.#host.endpoints(), this.#pipeline, clock.now(), loopback === "local");
  }

  flush(destination?: Destination): number {
    const endpoints = this.#host.endpoints();
    const count =
      destination === undefined
        ? this.#forgetting.everything(endpoints)
        : this.#forgetting.destinationAndRoutes(destination, endpoints);
    for (const runtime of this.#host.runtimes()) runtime.flush(destination);
    return count;
  }

  changes(signal?: AbortSignal): AsyncIterableIterator<EngineChange> {
    return this.#feed.open(signal);
  }

  setAddressFile(entries: readonly AddressFileEntry[]): void {
    this.#book.setFile(entries);
    this.#host.reconcile();
  }

  rescan(): void {
    this.#ports.rescan();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const closed = coreError("VERBENA_RESOLVE_CLOSED");
    // One turn later, so that #closing is set and nobody who is woken starts anew.
    await Promise.resolve();
    this.#forgetting.end(closed);
    await this.#watch?.close();
    await this.#ports.close();
    await this.#host.close();
    this.#feed.close();
  }

  /** Serves a request that may need a lookup, on its client's account. */
  async #serve(call: Call, client: ClientIdentity, choose: Choose): Promise<ResolveAnswer> {
    const usage = this.#clients.request(client, call.requestId, call.startedAt);
    try {
      const answer = await this.#loop.serve(call, choose);
      const { address, route } = answer.provenance;
      if (address?.from !== "provider" && route.from !== "provider") usage.cacheHits += 1;
      return answer;
    } catch (error) {
      usage.errors += 1;
      throw error;
    }
  }

  #hit(endpoint: LocalEndpoint, client: ClientIdentity, answer: ResolveAnswer | undefined): ResolveAnswer | undefined {
    if (answer === undefined) return undefined;
    this.#clients.hit(client, this.#settings.clock.now());
    this.#counters.core.resolve += 1;
    endpoint.counters.resolve += 1;
    endpoint.counters.routeCache += 1;
    return answer;
  }

  #call(destination: string, request: Pick<ResolveRequest, "client" | "deadlineMs" | "noDelay" | "signal">): Call {
    const startedAt = this.#settings.clock.now();
    return makeCall({
      requestId: this.#nextId(),
      destination,
      startedAt,
      deadline: startedAt + (request.deadlineMs ?? this.#settings.deadlineMs),
      signal: request.signal,
      noDelay: request.noDelay ?? false,
    });
  }

  #status(endpoint: LocalEndpoint): EndpointStatus {
    return endpoint.status(this.#settings.providerLabel, readCounters(endpoint.counters, endpoint.sessions()));
  }

  readonly #nextId = (): string => {
    this.#requests += 1;
    return this.#idPrefix + this.#requests.toString(36);
  };
}
