import type { Gid, Lid } from "@verbena/ib";
import type { FlightKey } from "../cache/flights.js";
import type { ResolutionCache } from "../cache/resolution-cache.js";
import { Destination } from "../sdk/destination.js";
import { addressEnds } from "./address-question.js";
import type { EngineChange } from "./contract.js";
import { destinationKey } from "./destination-key.js";
import { endMarks } from "./entry-codecs.js";
import type { Feed } from "./feed.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { Pipeline } from "./pipeline.js";
import { Restart } from "./request-call.js";
import { routeEnds } from "./route-question.js";

/** Every way in which something learnt is dropped, together with what is being looked up at that moment. */
export class Forgetting {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly feed: Feed<EngineChange>,
  ) {}

  /** All that was learnt through endpoints that have gone. Who waits is looked up again. */
  endpoints(endpoints: readonly LocalEndpoint[], reason: string): number {
    const prefixes = new Set(endpoints.map(({ prefix }) => prefix));
    const count = this.#drop(({ scope }) => prefixes.has(scope.prefix));
    for (const { key } of endpoints) this.feed.emit({ type: "flushed", endpoint: key, reason });
    return count;
  }

  /**
   * The surroundings of these endpoints have changed, or may have: another SM, one that has forgotten, notices that were not heard. LIDs, paths and
   * failures are void; whose a name or IP is no SM decides, so that it is kept, in doubt (`keptAddress`). Who waits is looked up again.
   */
  surroundings(endpoints: readonly LocalEndpoint[], reason: string): void {
    this.#doubt(endpoints);
    for (const { key } of endpoints) this.feed.emit({ type: "flushed", endpoint: key, reason });
  }

  /** The same, and nobody is told of it where nothing had been learnt. */
  unheard(endpoints: readonly LocalEndpoint[], reason: string): void {
    const count = this.#doubt(endpoints);
    if (count > 0) for (const { key } of endpoints) this.feed.emit({ type: "flushed", endpoint: key, reason });
  }

  everything(endpoints: readonly LocalEndpoint[]): number {
    let count = this.#drop(() => true);
    for (const endpoint of endpoints) {
      count += endpoint.files?.size ?? 0;
      endpoint.files = undefined;
      endpoint.forget();
    }
    this.feed.emit({ type: "flushed", reason: "asked for" });
    return count;
  }

  /** What any endpoint remembers under a name or IP. */
  destination(key: string): number {
    return this.#drop(({ subject }) => destinationKey(subject) === key);
  }

  /** A destination, and the routes to the GID and LID that stood behind it. */
  destinationAndRoutes(destination: Destination, endpoints: readonly LocalEndpoint[]): number {
    const keys = new Set([destinationKey(destination)]);
    for (const entry of this.pipeline.addresses.cache.entries()) {
      if (entry.state === "negative" || destinationKey(entry.subject) !== destinationKey(destination)) continue;
      const { gid, lid } = entry.value.answer;
      if (gid !== undefined) keys.add(destinationKey(Destination.gid(gid)));
      if (lid !== undefined) keys.add(destinationKey(Destination.lid(lid)));
    }
    const count = this.#drop(({ subject }) => keys.has(destinationKey(subject)));
    // The files are read again by who asked for this.
    for (const endpoint of endpoints) endpoint.files = undefined;
    this.feed.emit({ type: "flushed", destination: destination.text, reason: "asked for" });
    return count;
  }

  /**
   * What leads to one of these GIDs and LIDs, and with `hasNew` every failure: something has come that could not be found before. Lookups of
   * such a GID or LID are begun again; one that gets there by name finds out by the endpoint's notices.
   */
  ends(endpoints: readonly LocalEndpoint[], ends: ReadonlySet<Gid | Lid>, hasNew: boolean, reason: string): number {
    const mine = new Map(endpoints.map((endpoint) => [endpoint.prefix, endpoint]));
    const marks = endMarks(ends);
    for (const { notices } of endpoints) notices.note(ends);
    const isAbout = ({ subject }: FlightKey): boolean =>
      (subject.kind === "gid" && ends.has(subject.gid)) || (subject.kind === "lid" && ends.has(subject.lid));
    const drop = <V extends object>(
      step: { cache: ResolutionCache<V> },
      endsOf: (value: V) => readonly (Gid | Lid)[],
    ) =>
      step.cache.drop((entry) => {
        if (!mine.has(entry.scope.prefix)) return false;
        if (entry.state === "negative") return hasNew;
        return isAbout(entry) || endsOf(entry.value).some((end) => ends.has(end));
      }, marks);
    const { addresses, routes } = this.pipeline;
    const count = drop(addresses, addressEnds) + drop(routes, routeEnds);
    routes.flights.end((flight) => mine.has(flight.scope.prefix) && isAbout(flight), new Restart());
    if (count > 0) for (const { key } of endpoints) this.feed.emit({ type: "flushed", endpoint: key, reason });
    return count;
  }

  /** Ends every lookup with `error`. */
  end(error: Error): void {
    this.pipeline.addresses.flights.end(() => true, error);
    this.pipeline.routes.flights.end(() => true, error);
  }

  #doubt(endpoints: readonly LocalEndpoint[]): number {
    const byPrefix = new Map(endpoints.map((endpoint) => [endpoint.prefix, endpoint]));
    const { addresses, routes } = this.pipeline;
    return addresses.doubt(byPrefix) + routes.doubt(byPrefix);
  }

  #drop(pick: (of: FlightKey) => boolean): number {
    const { addresses, routes } = this.pipeline;
    addresses.flights.end(pick, new Restart());
    routes.flights.end(pick, new Restart());
    return addresses.cache.drop(pick) + routes.cache.drop(pick);
  }
}
