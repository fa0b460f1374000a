import { Gid, Lid, VerbenaError } from "@verbena/ib";
import type { PositiveEntry } from "../cache/cache-entry.js";
import type { Destination } from "../sdk/destination.js";
import type { LearnedEntry } from "../sdk/provider.js";
import type { AddressAnswer, RouteAnswer } from "../sdk/route.js";
import { type AddressValue, addressQuestion } from "./address-question.js";
import { directAnswer, localAnswer, routedAnswer } from "./answers.js";
import type { PathRequest, ResolveAnswer } from "./contract.js";
import { destinationKey } from "./destination-key.js";
import { addressCodec, RouteCodec } from "./entry-codecs.js";
import type { Footing } from "./footing.js";
import { keptAddress } from "./kept-address.js";
import type { LocalEndpoint, Moment } from "./local-endpoint.js";
import { type Found, LookupStep } from "./lookup-step.js";
import type { EngineSettings } from "./options.js";
import { type Call, Restart } from "./request-call.js";
import { definedFields, type LooseRouteFields, type RouteFields } from "./route-fields.js";
import { routeKey } from "./route-key.js";
import { plainQuery, type RouteValue, routeQuestion } from "./route-question.js";
import type { Whereabouts } from "./whereabouts.js";

export interface PipelineOptions {
  readonly settings: EngineSettings;
  /** A provider was silent on this endpoint's port. */
  readonly onSilence: (endpoint: LocalEndpoint) => void;
  readonly whereabouts: Whereabouts;
}

/** Address, then route, under an endpoint that has been chosen. */
export class Pipeline {
  readonly addresses: LookupStep<AddressAnswer, AddressValue>;
  readonly routes: LookupStep<RouteAnswer, RouteValue>;
  readonly #settings: EngineSettings;

  constructor({ settings, onSilence, whereabouts }: PipelineOptions) {
    this.#settings = settings;
    const common = { settings, onSilence, onLearned: this.learn.bind(this) };
    this.addresses = new LookupStep({
      ...common,
      name: "address",
      codec: addressCodec,
      ttlMs: settings.addressTtlMs,
      refreshMs: settings.addressRefreshMs,
      companionDelayMs: settings.companionDelayMs,
      onQuery: ({ counters }) => {
        counters.addressQuery += 1;
      },
      outlives: keptAddress,
      onFound: ({ key }, { subject, value }) => {
        whereabouts.note(key, subject, value.answer);
      },
    });
    this.routes = new LookupStep({
      ...common,
      name: "route",
      codec: new RouteCodec(),
      // A route goes with its address; where the question was a LID or GID itself, that is as good as an address of the same age.
      ttlMs: Math.min(settings.routeTtlMs, settings.addressTtlMs),
      refreshMs: settings.routeRefreshMs,
      companionDelayMs: undefined,
      onQuery: ({ counters }) => {
        counters.routeQuery += 1;
      },
    });
  }

  /** What can be answered at once, from own addresses and caches; nothing is counted. */
  peek(
    endpoint: LocalEndpoint,
    to: Destination,
    maxPaths: number,
    requestId: () => string,
    footing?: Footing,
  ): ResolveAnswer | undefined {
    const key = destinationKey(to);
    if (this.#isOwn(endpoint, key)) return localAnswer(endpoint, requestId());
    const { scope, prefix } = endpoint;
    const now = this.#settings.clock.now();
    if (to.kind === "gid" || to.kind === "lid") {
      return this.#peekRoute(
        endpoint,
        routeKey(endpoint, directQuery(endpoint, to, maxPaths)),
        maxPaths,
        now,
        requestId,
        footing,
      );
    }
    const entry = this.addresses.peek(prefix + key, scope, now);
    if (entry === undefined) return undefined;
    footing?.entry(entry);
    const address = { entry, wasCached: true };
    if (entry.value.answer.path !== undefined) return directAnswer(endpoint, address, now, requestId());
    const route = this.routes.peek(routeKeyOf(endpoint, entry, maxPaths), scope, now);
    if (route === undefined) return undefined;
    footing?.entry(route);
    return routedAnswer(endpoint, address, { entry: route, wasCached: true }, maxPaths, now, requestId());
  }

  /** The same for a path request. */
  peekPath(
    endpoint: LocalEndpoint,
    request: PathRequest,
    requestId: () => string,
    footing?: Footing,
  ): ResolveAnswer | undefined {
    const fields = pathFields(endpoint, request);
    const now = this.#settings.clock.now();
    return this.#peekRoute(endpoint, routeKey(endpoint, fields), fields.maxPaths, now, requestId, footing);
  }

  async resolve(endpoint: LocalEndpoint, to: Destination, maxPaths: number, call: Call): Promise<ResolveAnswer> {
    const { scope, counters } = endpoint;
    const key = destinationKey(to);
    if (this.#isOwn(endpoint, key)) {
      counters.routeCache += 1;
      call.trace?.own(to.text);
      return localAnswer(endpoint, call.requestId);
    }
    if (to.kind === "gid" || to.kind === "lid") return this.#route(endpoint, directQuery(endpoint, to, maxPaths), call);
    const question = addressQuestion(this.#settings, endpoint, to, key);
    const address = await this.addresses.find(question, call);
    if (endpoint.scope !== scope) throw new Restart();
    try {
      return await this.#follow(endpoint, address, maxPaths, call);
    } catch (error) {
      if (!call.waits || !isNowhere(error)) throw error;
      if (this.#hasMoved(address.entry)) throw new Restart();
      // A kept address that leads nowhere may be another's by now: its confirmation is waited for.
      if (address.entry.keptAt === undefined) throw error;
      const confirmed = await this.addresses.confirm(question, call);
      if (endpoint.scope !== scope) throw new Restart();
      // That there was no path was found out before the owner has shown that he is there.
      this.routes.cache.dropNegative(routeKeyOf(endpoint, confirmed.entry, maxPaths));
      return this.#follow(endpoint, confirmed, maxPaths, call);
    }
  }

  /** Whether somebody else has turned out to have the address since this was read from the cache. */
  #hasMoved({ key, scope, value }: PositiveEntry<AddressValue>): boolean {
    const present = this.addresses.cache.get(key, scope, this.#settings.clock.now());
    return present !== undefined && ownerOf(present.value) !== ownerOf(value);
  }

  /** From an address on. */
  async #follow(
    endpoint: LocalEndpoint,
    address: Found<AddressValue>,
    maxPaths: number,
    call: Call,
  ): Promise<ResolveAnswer> {
    const { clock } = this.#settings;
    const { scope, counters } = endpoint;
    const { entry, wasCached } = address;
    const direct = directAnswer(endpoint, address, clock.now(), call.requestId);
    if (direct !== undefined) {
      if (wasCached) counters.routeCache += 1;
      return direct;
    }
    const question = routeQuestion(
      this.#settings,
      endpoint,
      plainQuery(endpoint, entry.value.answer, maxPaths),
      entry.expiresAt,
    );
    if (wasCached && call.waits && !this.routes.isKnown(question)) counters.addressCache += 1;
    const route = await this.routes.find(question, call);
    if (endpoint.scope !== scope) throw new Restart();
    // The address has been looked up anew behind the request while its path was sought.
    if (!route.wasCached && this.#hasMoved(entry)) throw new Restart();
    if (wasCached && route.wasCached) counters.routeCache += 1;
    return routedAnswer(endpoint, address, route, maxPaths, clock.now(), call.requestId);
  }

  resolvePath(endpoint: LocalEndpoint, request: PathRequest, call: Call): Promise<ResolveAnswer> {
    return this.#route(endpoint, definedFields(pathFields(endpoint, request)), call);
  }

  /** Puts what a provider overheard into the caches, unless the world or its ends have changed since `moment`. */
  learn(endpoint: LocalEndpoint, moment: Moment, provider: string, entry: LearnedEntry): void {
    if (entry.kind === "address") {
      const key = destinationKey(entry.destination);
      const question = addressQuestion(this.#settings, endpoint, entry.destination, key);
      this.addresses.learn(question, moment, provider, entry.answer);
    } else {
      this.routes.learn(routeQuestion(this.#settings, endpoint, entry.query), moment, provider, entry.answer);
    }
  }

  async #route(endpoint: LocalEndpoint, query: RouteFields, call: Call): Promise<ResolveAnswer> {
    const { scope } = endpoint;
    const route = await this.routes.find(routeQuestion(this.#settings, endpoint, query), call);
    if (endpoint.scope !== scope) throw new Restart();
    if (route.wasCached) endpoint.counters.routeCache += 1;
    const now = this.#settings.clock.now();
    return routedAnswer(endpoint, undefined, route, query.maxPaths, now, call.requestId);
  }

  #peekRoute(
    endpoint: LocalEndpoint,
    key: string,
    maxPaths: number,
    now: number,
    requestId: () => string,
    footing: Footing | undefined,
  ): ResolveAnswer | undefined {
    const entry = this.routes.peek(key, endpoint.scope, now);
    if (entry === undefined) return undefined;
    footing?.entry(entry);
    return routedAnswer(endpoint, undefined, { entry, wasCached: true }, maxPaths, now, requestId());
  }

  #isOwn(endpoint: LocalEndpoint, key: string): boolean {
    return this.#settings.loopback === "local" && endpoint.address(key) !== undefined;
  }
}

/** Where an address leads; a GID says all, a LID counts where there is none. */
function ownerOf({ answer: { gid, lid, path } }: AddressValue): Gid | Lid | undefined {
  return gid ?? path?.dgid ?? lid;
}

/** No path, or so the SA says. */
function isNowhere(error: unknown): boolean {
  return VerbenaError.is(error, "VERBENA_RESOLVE_NO_DATA") || VerbenaError.is(error, "VERBENA_RESOLVE_SA_STATUS");
}

function directQuery(
  endpoint: LocalEndpoint,
  to: Extract<Destination, { kind: "gid" | "lid" }>,
  maxPaths: number,
): RouteFields {
  return plainQuery(endpoint, to.kind === "gid" ? { gid: to.gid } : { lid: to.lid }, maxPaths);
}

/** One path is what nearly everybody asks for: its key is made once and kept with the address. */
function routeKeyOf(endpoint: LocalEndpoint, entry: PositiveEntry<AddressValue>, maxPaths: number): string {
  const { value } = entry;
  if (maxPaths !== 1) return routeKey(endpoint, plainQuery(endpoint, value.answer, maxPaths));
  value.routeKey ??= routeKey(endpoint, plainQuery(endpoint, value.answer, 1));
  return value.routeKey;
}

/**
 * The question of a path request: its own ends where given, else the endpoint's (spec acm.md 4.8). Written without spreads: the fast
 * path makes one per request.
 */
function pathFields(endpoint: LocalEndpoint, request: PathRequest): LooseRouteFields {
  return {
    sgid: request.sgid === Gid.zero ? endpoint.gid : request.sgid,
    slid: request.slid === Lid.zero ? endpoint.baseLid : request.slid,
    dgid: request.dgid === Gid.zero ? undefined : request.dgid,
    dlid: request.dlid === Lid.zero ? undefined : request.dlid,
    pkey: endpoint.endpoint.pkey,
    serviceId: request.serviceId,
    trafficClass: request.trafficClass,
    sl: request.sl,
    qosClass: request.qosClass,
    reversible: request.reversible ?? true,
    maxPaths: request.maxPaths ?? 1,
    hint: undefined,
  };
}
