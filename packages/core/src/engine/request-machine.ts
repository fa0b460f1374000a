import type { EndpointPhase } from "./endpoint-machine.js";

/** What a request that needs more than the caches is doing: its endpoint is chosen, is waited for, is worked under. */
export type RequestWork = "choosing" | "waiting" | "working";

/**
 * How it ends. `answered`; `deferred`: nothing can be given at once, and a lookup is left behind; `unready`: the endpoint cannot work, or not yet;
 * `late`: changes took it past its deadline; `lost`: the endpoint changed under it too often; `closed`: the engine is; `failed`: by the error
 * of whatever it was doing, its own time-out and abort among them.
 */
export type RequestEnd = "answered" | "deferred" | "unready" | "late" | "lost" | "closed" | "failed";

export type RequestPhase = RequestWork | RequestEnd;

/** `changed`: the endpoint has, or is gone. `late`: so it has, and the deadline is past. `often`: so it has, once too often. */
export type RequestAgain = "changed" | "late" | "often";

/** How the endpoint is found. `opening`: providers are being opened on it, and the request waits for them. */
export type RequestSight = "ready" | "opening" | "unready";

/** What each kind of work can lead to. */
export interface RequestSignals {
  readonly choosing: RequestSight | RequestAgain | "closed" | "failure";
  readonly waiting: RequestSight | RequestAgain | "failure";
  readonly working: RequestAgain | "answer" | "not-yet" | "failure";
}

type Table = { readonly [W in RequestWork]: Readonly<Record<RequestSignals[W], RequestPhase>> };

/** A changed endpoint is chosen anew, under what is there now: within the same deadline, and not for ever. */
const anywhere = { changed: "choosing", late: "late", often: "lost", failure: "failed" } as const;

/** Work × signal: the next phase, and so what is done next. An end hears nothing more. */
export const REQUEST_TABLE: Table = {
  choosing: { ...anywhere, ready: "working", opening: "waiting", unready: "unready", closed: "closed" },
  // It waits once: an endpoint that was ready meanwhile and no longer is has had its opening.
  waiting: { ...anywhere, ready: "working", opening: "unready", unready: "unready" },
  working: { ...anywhere, answer: "answered", "not-yet": "deferred" },
};

/** One step of a request; pure. */
export function stepRequest<W extends RequestWork>(work: W, signal: RequestSignals[W]): RequestPhase {
  const row: Readonly<Record<RequestSignals[W], RequestPhase>> = REQUEST_TABLE[work];
  return row[signal];
}

/** What an endpoint is to a request. `waits`: it does not want its answer at once. */
export function endpointSignal(phase: EndpointPhase, waits: boolean): RequestSight | "changed" {
  switch (phase) {
    case "ready":
    case "early":
      return "ready";
    case "opening":
      return waits ? "opening" : "unready";
    case "joining":
    case "failed":
      return "unready";
    case "closed":
      return "changed";
    default:
      return phase satisfies never;
  }
}
