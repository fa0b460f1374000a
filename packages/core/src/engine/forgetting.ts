import type { FlightKey } from "../cache/flights.js";
import { Destination } from "../sdk/destination.js";
import type { ChangeFeed } from "./change-feed.js";
import { destinationKey } from "./destination-key.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { Pipeline } from "./pipeline.js";
import { Restart } from "./request-call.js";

/** Every way in which something learnt is dropped, together with what is being looked up at that moment. */
export class Forgetting {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly feed: ChangeFeed,
  ) {}

  /** All that was learnt through these endpoints. Who waits is looked up again. */
  endpoints(endpoints: readonly LocalEndpoint[], reason: string): number {
    const prefixes = new Set(endpoints.map(({ prefix }) => prefix));
    const count = this.#drop(({ scope }) => prefixes.has(scope.prefix));
    for (const { key } of endpoints) this.feed.emit({ type: "flushed", endpoint: key, reason });
    return count;
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

  /** Ends every lookup with `error`. */
  end(error: Error): void {
    this.pipeline.addresses.flights.end(() => true, error);
    this.pipeline.routes.flights.end(() => true, error);
  }

  #drop(pick: (of: FlightKey) => boolean): number {
    const { addresses, routes } = this.pipeline;
    addresses.flights.end(pick, new Restart());
    routes.flights.end(pick, new Restart());
    return addresses.cache.drop(pick) + routes.cache.drop(pick);
  }
}
