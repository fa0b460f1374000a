import { AddressBook } from "../addresses/address-book.js";
import { ADDRESSES, AddressWatch } from "../addresses/address-watch.js";
import type { AddressFileEntry } from "../addresses/local-addresses.js";
import { coreError } from "../errors.js";
import { LossBook, type LostFunction } from "../losses/loss-book.js";
import { choosePortSource } from "../ports/choose-source.js";
import { PortTable } from "../ports/port-table.js";
import type { Destination } from "../sdk/destination.js";
import { listCache } from "./cache-listing.js";
import { Calls } from "./calls.js";
import type {
  AcmCounters,
  CacheEntry,
  ClientUsages,
  EndpointStatus,
  EngineChange,
  ExplainRequest,
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
} from "./contract.js";
import { EndpointSelector } from "./endpoint-selector.js";
import { Feed } from "./feed.js";
import type { Footing } from "./footing.js";
import { Forgetting } from "./forgetting.js";
import { GroupDoor } from "./group-door.js";
import { HostEndpoints } from "./host-endpoints.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import { takeNotices } from "./notice-effects.js";
import { type EngineOptions, type EngineSettings, engineSettings } from "./options.js";
import { Pipeline } from "./pipeline.js";
import { RequestLoop } from "./request-loop.js";
import { Requests } from "./requests.js";
import { SaDoor } from "./sa-door.js";
import { settledWithin } from "./wait-for.js";
import { Whereabouts } from "./whereabouts.js";

/** How long the start waits for the first listing of the host's IP addresses. */
const ADDRESS_WAIT_MS = 2_000;

/** The engine as its owner sees it. */
export interface EngineHandle extends ResolverEngine, AsyncDisposable {
  tryResolveCached(request: ResolveRequest, footing?: Footing): ResolveAnswer | undefined;
  tryResolvePathCached(request: PathRequest, footing?: Footing): ResolveAnswer | undefined;
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
  readonly #losses: LossBook;
  readonly #feed = new Feed<EngineChange>();
  readonly #reports = new Feed<ProviderReport>();
  readonly #pipeline: Pipeline;
  readonly #host: HostEndpoints;
  readonly #ports: PortTable;
  readonly #selector: EndpointSelector;
  readonly #forgetting: Forgetting;
  readonly #requests: Requests;
  readonly #saDoor: SaDoor;
  readonly #groupDoor: GroupDoor;
  #watch: AddressWatch | undefined;
  #closing: Promise<void> | undefined;

  constructor(settings: EngineSettings) {
    this.#settings = settings;
    const { native, clock, logger, accounts } = settings;
    const { clients, counters } = accounts;
    this.#losses = new LossBook(logger);
    this.#book = new AddressBook(settings.addressFile, settings.supportIpsInAddressFile);
    this.#pipeline = new Pipeline({
      settings,
      onSilence: ({ identity }) => {
        this.#ports.refresh(identity.device, identity.port);
      },
      whereabouts: new Whereabouts(settings.cacheMaxEntries, (change) => {
        this.#feed.emit(change);
      }),
    });
    this.#forgetting = new Forgetting(this.#pipeline, this.#feed);
    const source = choosePortSource(native, clock, logger, this.#losses);
    this.#host = new HostEndpoints({
      settings,
      losses: this.#losses,
      source,
      book: this.#book,
      counters,
      feed: this.#feed,
      saObserver: {
        onSent: ({ requestId }) => {
          clients.saQuery(requestId);
        },
        onOutcome: (...outcome) => {
          this.#requests.onSaOutcome(...outcome);
        },
      },
      onSurroundings: (endpoints, reason) => {
        this.#forgetting.surroundings(endpoints, reason);
      },
      onVoid: (endpoints, reason) => {
        this.#forgetting.endpoints(endpoints, reason);
      },
      onNoticesMissed: (endpoints, reason) => {
        this.#forgetting.unheard(endpoints, reason);
      },
      onNotices: (runtime, notices) => {
        takeNotices(runtime, notices, this.#forgetting, this.#feed);
      },
      onLocalAddress: (key) => {
        this.#forgetting.destination(key);
      },
      onLearned: (endpoint, provider, entry) => {
        this.#pipeline.learn(endpoint, endpoint.moment, provider, entry);
      },
      onObserved: ({ key }, provider, event) => {
        if (!this.#reports.hasReaders) return;
        const time = new Date().toISOString();
        this.#reports.emit({ type: "event", endpoint: key, provider, time, event: event() });
      },
      onDoubt: ({ endpoints }, ends, reason) => {
        this.#forgetting.ends(endpoints, new Set(ends), false, reason);
      },
    });
    this.#ports = new PortTable(source, this.#host.onPort, logger);
    this.#selector = new EndpointSelector(settings, this.#host, this.#book);
    const isClosed = (): boolean => this.#closing !== undefined;
    const host = this.#host;
    const loop = new RequestLoop({ settings, counters, isClosed });
    const common = { settings, calls: new Calls(settings), clients, counters, host, loop };
    this.#requests = new Requests({ ...common, selector: this.#selector, pipeline: this.#pipeline });
    this.#saDoor = new SaDoor(common);
    this.#groupDoor = new GroupDoor({ ...common, selector: this.#selector, pipeline: this.#pipeline });
  }

  async start(): Promise<void> {
    const { native, clock, deadlineMs } = this.#settings;
    try {
      const onChange = this.#host.onAddress;
      this.#watch = new AddressWatch({
        source: native.openAddressSource(),
        book: this.#book,
        losses: this.#losses,
        onChange,
      });
      await settledWithin(clock, this.#watch.synced, ADDRESS_WAIT_MS);
    } catch (error) {
      this.#losses.lose(ADDRESSES, "IP addresses of this host", error);
    }
    this.#host.start(this.#ports);
    await settledWithin(clock, this.#host.settled(), deadlineMs);
  }

  resolve(request: ResolveRequest): Promise<ResolveAnswer> {
    return this.#requests.resolve(request);
  }

  explain(request: ExplainRequest): Promise<Explanation> {
    return this.#requests.explain(request);
  }

  checkGroups(request: ResolveRequest): Promise<GroupCheck> {
    return this.#groupDoor.check(request);
  }

  resolvePath(request: PathRequest): Promise<ResolveAnswer> {
    return this.#requests.resolvePath(request);
  }

  tryResolveCached(request: ResolveRequest, footing?: Footing): ResolveAnswer | undefined {
    return this.#requests.tryResolveCached(request, footing);
  }

  tryResolvePathCached(request: PathRequest, footing?: Footing): ResolveAnswer | undefined {
    return this.#requests.tryResolvePathCached(request, footing);
  }

  querySa(request: SaPassThrough): Promise<SaPassThroughAnswer> {
    return this.#saDoor.query(request);
  }

  endpoints(): readonly EndpointStatus[] {
    this.#settings.accounts.tally.bring();
    return this.#host.endpoints().map((endpoint) => this.#status(endpoint));
  }

  endpointOf(source: SourceSpec): EndpointStatus | undefined {
    const endpoint = this.#selector.bySource(source);
    this.#settings.accounts.tally.bring();
    return endpoint && this.#status(endpoint);
  }

  counters(): AcmCounters {
    const { counters, tally } = this.#settings.accounts;
    tally.bring();
    return counters.aggregate();
  }

  clients(): ClientUsages {
    const { accounts, clock } = this.#settings;
    accounts.tally.bring();
    return { clients: accounts.clients.list(clock.now()), forgotten: accounts.clients.forgotten };
  }

  lostFunctions(): readonly LostFunction[] {
    return this.#losses.list();
  }

  saPorts(): readonly SaPortStatus[] {
    return this.#host.runtimes().flatMap((runtime) => {
      const stats = runtime.sa.stats();
      const { device, port, smLid } = runtime.port;
      return stats === undefined ? [] : [{ device, port, smLid, notices: runtime.noticeState, ...stats }];
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

  providerEvents({ signal, endpoint }: ProviderWatch = {}): AsyncIterableIterator<ProviderReport> {
    const isWanted = (report: ProviderReport): boolean => report.type !== "event" || report.endpoint === endpoint;
    return this.#reports.open(signal, endpoint === undefined ? undefined : isWanted);
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
    this.#host.end();
    await this.#watch?.close();
    await this.#ports.close();
    await this.#host.close();
    this.#feed.close();
    this.#reports.close();
  }

  #status(endpoint: LocalEndpoint): EndpointStatus {
    return endpoint.status(this.#settings.providerLabel);
  }
}
