import { VerbenaError } from "@verbena/ib";
import { coreError } from "../errors.js";
import { walkRoute } from "../route-walk/index.js";
import type { SaObserver } from "../sa-client/sa-client-options.js";
import { Destination } from "../sdk/destination.js";
import type { Calls } from "./calls.js";
import type { ClientBook } from "./client-book.js";
import type {
  ClientIdentity,
  ExplainRequest,
  Explanation,
  PathRequest,
  ResolveAnswer,
  ResolveRequest,
} from "./contract.js";
import type { CounterBook } from "./counters.js";
import { chooseEndpoint } from "./endpoint-choice.js";
import { type EndpointSelector, noEndpoint } from "./endpoint-selector.js";
import type { Footing } from "./footing.js";
import type { HostEndpoints } from "./host-endpoints.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
import type { Pipeline } from "./pipeline.js";
import { type Call, pathText } from "./request-call.js";
import type { RequestLoop } from "./request-loop.js";
import type { Choice, Choose } from "./request-run.js";
import { Trace } from "./trace.js";

export interface RequestsOptions {
  readonly settings: EngineSettings;
  readonly calls: Calls;
  readonly clients: ClientBook;
  readonly counters: CounterBook;
  readonly host: HostEndpoints;
  readonly selector: EndpointSelector;
  readonly pipeline: Pipeline;
  readonly loop: RequestLoop;
}

/** The questions of clients: by name or address, by path, from the caches alone, with an explanation. */
export class Requests {
  readonly #options: RequestsOptions;
  /** Explanations being made, by request id. */
  readonly #traces = new Map<string, Trace>();

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  resolve(request: ResolveRequest): Promise<ResolveAnswer> {
    const cached = this.tryResolveCached(request);
    if (cached !== undefined) return Promise.resolve(cached);
    const call = this.#options.calls.make(request.destination.text, request);
    return this.#serve(call, request.client, () => this.#choose(request, call));
  }

  async explain(request: ExplainRequest): Promise<Explanation> {
    const { calls, settings } = this.#options;
    const { text: destination } = request.destination;
    const trace = new Trace(settings.clock);
    const call = { ...calls.make(destination, request), trace };
    const { requestId, startedAt } = call;
    const explained = (outcome: Pick<Explanation, "answer" | "route" | "error">): Explanation => ({
      requestId,
      destination,
      tookMs: settings.clock.now() - startedAt,
      steps: trace.steps,
      ...outcome,
    });
    this.#traces.set(requestId, trace);
    try {
      const answer = await this.#serve(call, request.client, () => this.#choose(request, call));
      return explained({ answer, ...(request.route === true ? await this.#followRoute(answer, call) : {}) });
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
    const { calls, host, pipeline } = this.#options;
    const call = calls.make(pathText(request), request);
    return this.#serve(call, request.client, () => {
      if (request.dlid === 0 && request.dgid === 0n) throw coreError("VERBENA_RESOLVE_DESTINATION");
      const endpoint = chooseEndpoint(host.runtimes(), request);
      if (endpoint === undefined) throw noEndpoint("none fits the GIDs, LIDs and P_Key asked for");
      return { endpoint, work: (of) => pipeline.resolvePath(endpoint, request, of) };
    });
  }

  tryResolveCached(request: ResolveRequest, footing?: Footing): ResolveAnswer | undefined {
    const { calls, selector, pipeline } = this.#options;
    const endpoint = selector.now(request);
    if (endpoint?.state !== "ready" || request.signal?.aborted === true) return undefined;
    this.#stand(footing, endpoint);
    const answer = pipeline.peek(endpoint, request.destination, request.maxPaths ?? 1, calls.nextId, footing);
    return this.#hit(endpoint, request.client, answer);
  }

  tryResolvePathCached(request: PathRequest, footing?: Footing): ResolveAnswer | undefined {
    const { calls, host, pipeline } = this.#options;
    if ((request.dlid === 0 && request.dgid === 0n) || request.signal?.aborted === true) return undefined;
    const endpoint = chooseEndpoint(host.runtimes(), request);
    if (endpoint?.state !== "ready") return undefined;
    this.#stand(footing, endpoint);
    return this.#hit(endpoint, request.client, pipeline.peekPath(endpoint, request, calls.nextId, footing));
  }

  /** A query of the SA has ended: who is being explained sees it. */
  readonly onSaOutcome: SaObserver["onOutcome"] = (query, outcome, tookMs, status) => {
    if (this.#traces.size === 0 || query.requestId === undefined) return;
    this.#traces.get(query.requestId)?.sa(query, outcome, tookMs, status);
  };

  /** The way of the first path; nothing if its port has gone meanwhile. */
  async #followRoute({ paths, endpoint }: ResolveAnswer, call: Call): Promise<Pick<Explanation, "route">> {
    const { host, settings } = this.#options;
    const runtime = host.runtimeOf(endpoint);
    const [path] = paths;
    if (runtime === undefined || path === undefined) return {};
    const { slid, dlid } = path;
    const { requestId, signal } = call;
    const context = { requestId, deadlineMs: settings.deadlineMs, ...(signal === undefined ? {} : { signal }) };
    return { route: await walkRoute(runtime.sa, { slid, dlid, port: endpoint.port }, context) };
  }

  async #choose(request: ResolveRequest, call: Call): Promise<Choice<ResolveAnswer>> {
    const { selector, pipeline } = this.#options;
    const select = (): ReturnType<EndpointSelector["select"]> => selector.select(request, call);
    const { endpoint, chosenSource } = await (call.trace?.endpoint(select) ?? select());
    return {
      endpoint,
      work: async (of) => {
        const source = chosenSource === undefined ? of.source : Destination.ip(chosenSource);
        const answer = await pipeline.resolve(endpoint, request.destination, request.maxPaths ?? 1, { ...of, source });
        return chosenSource === undefined ? answer : { ...answer, chosenSource };
      },
    };
  }

  /** Serves a request that may need a lookup, on its client's account. */
  async #serve(call: Call, client: ClientIdentity, choose: Choose<ResolveAnswer>): Promise<ResolveAnswer> {
    const usage = this.#options.clients.request(client, call.requestId, call.startedAt);
    try {
      const answer = await this.#options.loop.serve(call, choose);
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
    const { clients, counters, settings } = this.#options;
    clients.hit(client, settings.clock.now());
    counters.hit(endpoint.counters);
    return answer;
  }

  /** The choice of the endpoint, and the endpoint as it is: what every answer rests on. */
  #stand(footing: Footing | undefined, endpoint: LocalEndpoint): void {
    if (footing === undefined) return;
    footing.grounds.push(this.#options.host.order, endpoint.scope);
    footing.counters = endpoint.counters;
  }
}
