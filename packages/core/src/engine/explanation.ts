import type { IpAddress, VerbenaError } from "@verbena/ib";
import type { RouteWalk } from "../route-walk/index.js";
import type { EndpointIdentity, ResolveAnswer } from "./contract.js";

/** How one provider of a chain ended. `overtaken`: another one answered first, or nobody waited any longer. */
export type ProviderOutcome = "answered" | "unknown" | "timeout" | "error" | "fault" | "overtaken";

/** One provider that was asked. */
export interface ProviderStep {
  readonly provider: string;
  readonly outcome: ProviderOutcome;
  readonly tookMs: number;
  /** Code of its error, or how it broke its contract. */
  readonly detail?: string;
}

/** One try of a query to the SA. */
export interface SaStep {
  readonly method: "get" | "set" | "delete" | "getTable";
  readonly attributeId: number;
  readonly outcome: "answered" | "busy" | "timeout";
  /** MAD status of an answer, host form. */
  readonly status?: number;
  readonly tookMs: number;
}

/**
 * What the cache said. `hit`; `due`: a hit that is being refreshed; `kept`: an address from before a change of the subnet manager, not confirmed since;
 * `file`: a preload file knows; `negative`: remembered as failed; `joined`:
 * somebody else's lookup was under way; `miss`: the providers are asked.
 */
export type CacheState = "hit" | "due" | "kept" | "file" | "negative" | "joined" | "miss";

/** One step of a resolution, in the order in which they happened. */
export type ExplainStep =
  | {
      readonly step: "endpoint";
      readonly tookMs: number;
      readonly endpoint?: EndpointIdentity;
      readonly state?: "joining" | "ready" | "failed";
      /** The source the engine chose. */
      readonly chosenSource?: IpAddress;
      /** Code of the failure. */
      readonly code?: string;
    }
  | {
      readonly step: "address" | "route";
      readonly tookMs: number;
      /** What was asked for: the destination, or the GID or LID behind it. */
      readonly about: string;
      readonly cache: CacheState;
      /** In the order in which they ended. */
      readonly providers: readonly ProviderStep[];
      /** What this request asked the SA, or its providers in its name. */
      readonly sa: readonly SaStep[];
      /** Whose entry it is; absent after a failure that is not remembered. */
      readonly provider?: string;
      readonly ageMs?: number;
      /** Absent = never, or nothing is kept. */
      readonly expiresInMs?: number;
      readonly code?: string;
    }
  /** The destination is an address of this host: nobody is asked. */
  | { readonly step: "own"; readonly about: string }
  /** The endpoint changed under the request, which begins again. */
  | { readonly step: "restart" };

/** What became of one request, and how. */
export interface Explanation {
  readonly requestId: string;
  readonly destination: string;
  readonly tookMs: number;
  readonly steps: readonly ExplainStep[];
  /** Absent after a failure; then `error` is there. */
  readonly answer?: ResolveAnswer;
  /** The way of the first path, if it was asked for. */
  readonly route?: RouteWalk;
  readonly error?: VerbenaError;
}
