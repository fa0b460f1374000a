import type { IpAddress } from "@verbena/ib";
import type { AddressBook } from "../addresses/address-book.js";
import { fabricSourceSelector, kernelSourceSelector, type SourceSelector } from "../addresses/source-selector.js";
import { coreError } from "../errors.js";
import type { Destination } from "../sdk/destination.js";
import type { ClientIdentity, ResolveRequest, SourceSpec } from "./contract.js";
import { destinationKey } from "./destination-key.js";
import type { HostEndpoints } from "./host-endpoints.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
import type { Call } from "./request-call.js";
import { waitFor } from "./wait-for.js";

/** The endpoint a request goes out from, and the source that was chosen for it, if it named none. */
export interface Selected {
  readonly endpoint: LocalEndpoint;
  readonly chosenSource?: IpAddress;
}

/** Finds the endpoint of a request by name or address (spec acm.md 1.7, rows 6 to 8). */
export class EndpointSelector {
  readonly #settings: EngineSettings;
  readonly #host: HostEndpoints;
  readonly #sources: SourceSelector;

  constructor(settings: EngineSettings, host: HostEndpoints, book: AddressBook) {
    this.#settings = settings;
    this.#host = host;
    this.#sources = selectorOf(settings, book);
  }

  /** Without asking anybody; `undefined` when that does not do. */
  now(request: ResolveRequest): LocalEndpoint | undefined {
    if (request.source !== undefined) return this.bySource(request.source);
    return needsSource(request) ? undefined : this.#byDestination(request.destination);
  }

  async select(request: ResolveRequest, call: Call): Promise<Selected> {
    const { source, destination } = request;
    if (source !== undefined) {
      const endpoint = this.bySource(source);
      if (endpoint === undefined) throw noSource(source.text);
      return { endpoint };
    }
    if (destination.kind === "ip") {
      const { clock } = this.#settings;
      const chosenSource = await waitFor(clock, this.#sources.select(destination.address), call);
      const endpoint = this.#host.byAddress(`i${chosenSource}`);
      if (endpoint === undefined) throw noSource(chosenSource);
      return { endpoint, chosenSource };
    }
    if (needsSource(request)) {
      throw coreError("VERBENA_RESOLVE_DESTINATION_TYPE", { details: { kind: destination.kind } });
    }
    const endpoint = this.#byDestination(destination);
    if (endpoint === undefined) throw noEndpoint("no active InfiniBand port has a name or address");
    return { endpoint };
  }

  /** The endpoint that owns a name or IP; for a GID or LID, the newest one with an address on the port that has it. */
  bySource(source: SourceSpec): LocalEndpoint | undefined {
    switch (source.kind) {
      case "name":
      case "ip":
        return this.#host.byAddress(destinationKey(source));
      case "gid":
        return this.#first(({ endpoint }) => endpoint.port.gids.includes(source.gid));
      case "lid":
        return this.#first(({ baseLid }) => baseLid === source.lid);
      default:
        return source satisfies never;
    }
  }

  /** In-process and control clients may leave the source out: the first endpoint that works does, on the destination's subnet if that is known. */
  #byDestination(destination: Destination): LocalEndpoint | undefined {
    const isNear = ({ endpoint }: LocalEndpoint): boolean =>
      destination.kind !== "gid" || endpoint.port.gids.some((gid) => gid >> 64n === destination.gid >> 64n);
    return (
      this.#first((endpoint) => endpoint.state === "ready" && isNear(endpoint)) ??
      this.#first((endpoint) => endpoint.state === "ready") ??
      this.#first(() => true)
    );
  }

  #first(fits: (endpoint: LocalEndpoint) => boolean): LocalEndpoint | undefined {
    return this.#host.endpoints().find((endpoint) => endpoint.hasAddress && fits(endpoint));
  }
}

/** Whether this client has to name a source for this kind of destination: the wire protocols say so, other callers need not. */
function needsSource({ destination, client }: ResolveRequest): boolean {
  return destination.kind === "ip" || !isInProcess(client);
}

function isInProcess({ kind }: ClientIdentity): boolean {
  return kind === "embed" || kind === "control";
}

function selectorOf({ sourceSelector }: EngineSettings, book: AddressBook): SourceSelector {
  if (sourceSelector === "kernel") return kernelSourceSelector;
  if (sourceSelector === "fabric") return fabricSourceSelector(() => book.systemAddresses());
  return sourceSelector;
}

/** No endpoint here can be the source, without one having been named. */
export function noEndpoint(why: string): Error {
  return coreError("VERBENA_RESOLVE_NO_SOURCE", {
    message: `no endpoint of this host can be the source: ${why}`,
    details: { why },
  });
}

function noSource(source: string): Error {
  return coreError("VERBENA_RESOLVE_NO_SOURCE", { details: { source } });
}
