import { emptyPathRecord, Gid, Guid, Lid, Mtu, PKey, Rate, VerbenaError } from "@verbena/ib";
import type {
  AcmCounters,
  CacheEntry,
  ClientUsages,
  EndpointStatus,
  EngineChange,
  Explanation,
  GroupCheck,
  ProviderReport,
  ProviderWatch,
  ResolveAnswer,
  ResolveRequest,
  ResolverEngine,
  SaPortStatus,
} from "../../src/engine/contract.js";
import { Feed } from "../../src/engine/feed.js";
import { coreError } from "../../src/errors.js";
import type { LostFunction } from "../../src/losses/loss-book.js";
import type { Destination } from "../../src/sdk/destination.js";

const counters: AcmCounters = {
  error: 1,
  resolve: 2,
  noData: 3,
  addressQuery: 4,
  addressCache: 5,
  routeQuery: 6,
  routeCache: 7,
};

const identity = {
  key: "sim0/1/0xffff",
  device: "sim0",
  nodeGuid: Guid.from(0x100000n),
  port: 1,
  portCount: 1,
  pkey: PKey.DEFAULT,
};

const endpointStep = { step: "endpoint", tookMs: 1, endpoint: identity, state: "ready" } as const;

/** A client that has its answers from the cache, and some that had to make room. */
export const clientUsages: ClientUsages = {
  clients: [
    {
      kind: "unix",
      pid: 42,
      uid: 1000,
      command: "mpirun",
      requests: 9,
      cacheHits: 7,
      errors: 1,
      saQueries: 2,
      idleMs: 5,
    },
  ],
  forgotten: 3,
};

/** An SA that is being left alone. */
export const saPort: SaPortStatus = {
  device: "sim0",
  port: 1,
  smLid: Lid.from(1),
  notices: "subscribed",
  window: 4,
  inFlight: 0,
  queued: 0,
  breaker: "open",
  retryInMs: 750,
  sent: 20,
  answered: 10,
  busy: 2,
  timeouts: 8,
  refused: 3,
  dropped: 1,
  sendErrors: 0,
};

/** An engine whose answers a test sets: what stands behind the control socket and the daemon in their tests. */
export class FakeEngine implements ResolverEngine {
  readonly requests: ResolveRequest[] = [];
  readonly flushed: (Destination | undefined)[] = [];
  isClosed = false;
  /** Answers `resolve`; the default knows every name. */
  answer: (request: ResolveRequest) => Promise<ResolveAnswer> = () => Promise.resolve(answerOf(7));
  watcherCount = 0;
  readonly #feed = new Feed<EngineChange>();
  readonly #reports = new Feed<ProviderReport>();

  resolve(request: ResolveRequest): Promise<ResolveAnswer> {
    this.requests.push(request);
    if (this.isClosed) return Promise.reject(coreError("VERBENA_RESOLVE_CLOSED"));
    return this.answer(request);
  }

  async explain(request: ResolveRequest): Promise<Explanation> {
    const about = { requestId: "r1", destination: request.destination.text, tookMs: 2, steps: [endpointStep] };
    try {
      return { ...about, answer: await this.resolve(request) };
    } catch (error) {
      if (!VerbenaError.is(error)) throw error;
      return { ...about, error };
    }
  }

  /** How `checkGroups` finds the SA's paths to differ. */
  problems: readonly string[] = [];

  async checkGroups(request: ResolveRequest): Promise<GroupCheck> {
    const { paths, endpoint } = await this.resolve(request);
    const [forward] = paths;
    const mgid = Gid.parse("ff15:4001:ffff:3:400::");
    return {
      destination: request.destination.text,
      endpoint,
      gid: Gid.parse("fe80::10:3"),
      ...(forward === undefined ? {} : { forward }),
      group: mgid,
      groups: [
        { mgid, role: "base", problems: this.problems },
        {
          mgid: Gid.parse("ff15:4001:ffff:10:500::"),
          role: "preferred",
          problems: ["100 Gb/s, but the path there has 10 Gb/s"],
        },
      ],
    };
  }

  resolvePath(): Promise<ResolveAnswer> {
    return Promise.resolve(answerOf(7));
  }

  querySa(): Promise<{ madStatus: number; record: Buffer }> {
    return Promise.resolve({ madStatus: 0, record: Buffer.alloc(64) });
  }

  endpoints(): readonly EndpointStatus[] {
    return [
      {
        ...identity,
        state: "ready",
        lid: Lid.from(4),
        gid: Gid.parse("fe80::10:1"),
        provider: "sa",
        addresses: ["node1", "192.0.2.1/24"],
        counters,
        groups: [
          {
            mgid: Gid.parse("ff15:4001:ffff:3:400::"),
            role: "base",
            state: "joined",
            mlid: Lid.from(0xc001),
            rate: Rate.RATE_10,
            mtu: Mtu.MTU_2048,
            sl: 0,
            trafficClass: 0,
          },
        ],
        duplicates: [
          { address: "192.0.2.9", first: Gid.parse("fe80::10:3"), second: Gid.parse("fe80::10:4"), ageMs: 1500.4 },
        ],
      },
    ];
  }

  endpointOf(): EndpointStatus | undefined {
    return this.endpoints()[0];
  }

  counters(): AcmCounters {
    return counters;
  }

  clients(): ClientUsages {
    return clientUsages;
  }

  lostFunctions(): readonly LostFunction[] {
    return [];
  }

  saPorts(): readonly SaPortStatus[] {
    return [saPort];
  }

  cacheEntries(): readonly CacheEntry[] {
    return [
      {
        cache: "address",
        endpoint: identity.key,
        destination: "node2",
        state: "positive",
        provider: "sa",
        from: "provider",
        gid: Gid.parse("fe80::10:3"),
        ageMs: 10,
        expiresInMs: 20,
      },
    ];
  }

  flush(destination?: Destination): number {
    this.flushed.push(destination);
    return destination === undefined ? 5 : 1;
  }

  emit(change: EngineChange): void {
    this.#feed.emit(change);
  }

  report(report: ProviderReport): void {
    this.#reports.emit(report);
  }

  /** Endpoints that were named when somebody began to watch. */
  readonly watchedEndpoints: (string | undefined)[] = [];

  providerEvents({ signal, endpoint }: ProviderWatch = {}): AsyncIterableIterator<ProviderReport> {
    this.watchedEndpoints.push(endpoint);
    return this.#reports.open(signal);
  }

  changes(signal?: AbortSignal): AsyncIterableIterator<EngineChange> {
    const changes = this.#feed.open(signal);
    this.watcherCount += 1;
    return {
      next: async () => {
        const result = await changes.next();
        if (result.done === true) this.watcherCount -= 1;
        return result;
      },
      return: async () => {
        this.watcherCount -= 1;
        return (await changes.return?.()) ?? { value: undefined, done: true };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.#feed.close();
    this.#reports.close();
    return Promise.resolve();
  }
}

/** An answer with one path to this LID. */
export function answerOf(dlid: number): ResolveAnswer {
  return {
    paths: [
      emptyPathRecord({
        serviceId: 0x1000000000000001n,
        dgid: Gid.parse("fe80::10:3"),
        sgid: Gid.parse("fe80::10:1"),
        dlid: Lid.from(dlid),
        slid: Lid.from(4),
        reversible: true,
        pkey: PKey.DEFAULT,
        mtu: Mtu.from(4),
        rate: Rate.from(3),
      }),
    ],
    endpoint: identity,
    provenance: { address: { provider: "sa", from: "cache" }, route: { provider: "sa", from: "provider" } },
    ageMs: 1,
    generation: 3,
    requestId: "r1",
  };
}
