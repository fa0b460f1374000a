/**
 * What is held of a destination: one key under an endpoint in one generation. `known`: an answer that is good; `due`: one in the last part of
 * its life, to be refreshed; `kept`: one from before a change of the surroundings, which nobody has confirmed since; `failed`: remembered as not to
 * be found; `unknown`: nothing. Never kept, always read from the cache: an entry
 * may run out, make room or be flushed between two signals.
 */
export type DestinationPhase = "unknown" | "known" | "due" | "kept" | "failed";

/**
 * Whether a lookup of it is under way (`asked`) or not (`idle`). `bound`: not either, and its answer, which is new enough, ends
 * when that of its address does: it gains nothing from a refresh before the address has had its own; or nobody has confirmed it a moment ago, and it is too early to ask again.
 */
export type DestinationSight = "idle" | "asked" | "bound";

/** Somebody wants to know; with `glance` at once or not at all. */
export type WantSignal = "request" | "glance";

/**
 * How a lookup has ended. `found`; `failed`: nobody of the whole chain knows, today; `denied`: the same, and all have said so, whoever had found
 * it before among them: nobody was silent; `undecided`: it failed, which says nothing of tomorrow;
 * `past`: whatever came is about a world that is gone; `left`: nobody waits any longer. What is overheard counts as `found`.
 */
export type LookupSignal = "found" | "failed" | "denied" | "undecided" | "past" | "left";

/**
 * What somebody gets who wants to know. `serve`: the answer; `refresh`: the same, and it is looked up again behind his back; `join`: the
 * lookup under way, or a new one; `not-yet`: nothing, since he does not wait; `refuse`: the remembered failure; `no-data`: the same, for who
 * did not wait to hear why.
 */
export interface WantActions {
  readonly unknown: "join" | "not-yet";
  readonly known: "serve";
  readonly due: "serve" | "refresh";
  readonly kept: "serve" | "refresh";
  readonly failed: "refuse" | "no-data";
}

/**
 * What becomes of a lookup. `keep` what it found; `remember` its failure; `report` the failure to those who wait, and keep nothing; `restart`:
 * who waits begins again; `leave`: nothing.
 */
export type LookupAction = "keep" | "remember" | "report" | "restart" | "leave";

interface Row<A> {
  readonly next: DestinationPhase;
  readonly action: A;
}

type Rows<P extends DestinationPhase> = Readonly<Record<WantSignal, Row<WantActions[P]>>> &
  Readonly<Record<LookupSignal, Row<LookupAction>>>;

type Table = { readonly [P in DestinationPhase]: Readonly<Record<DestinationSight, Rows<P>>> };

const to = <A extends string>(next: DestinationPhase, action: A): Row<A> => ({ next, action });

function endings(
  phase: DestinationPhase,
  failed: Row<LookupAction>,
  denied = failed,
): Readonly<Record<LookupSignal, Row<LookupAction>>> {
  return {
    found: to("known", "keep"),
    failed,
    denied,
    undecided: to(phase, "report"),
    past: to(phase, "restart"),
    left: to(phase, "leave"),
  };
}

const unknown: Rows<"unknown"> = {
  request: to("unknown", "join"),
  glance: to("unknown", "not-yet"),
  ...endings("unknown", to("failed", "remember")),
};

const known: Rows<"known"> = {
  request: to("known", "serve"),
  glance: to("known", "serve"),
  // A refresh that fails takes nothing away from what is still good.
  ...endings("known", to("known", "report")),
};

const failed: Rows<"failed"> = {
  request: to("failed", "refuse"),
  glance: to("failed", "no-data"),
  ...endings("failed", to("failed", "remember")),
};

const due: Rows<"due"> = {
  request: to("due", "serve"),
  glance: to("due", "serve"),
  ...endings("due", to("due", "report")),
};

const kept: Rows<"kept"> = {
  request: to("kept", "serve"),
  glance: to("kept", "serve"),
  // Silence may be a host that hears no multicast since the change.
  ...endings("kept", to("kept", "report"), to("failed", "remember")),
};

/** Phase × sight × signal. */
export const DESTINATION_TABLE: Table = {
  unknown: { idle: unknown, asked: unknown, bound: unknown },
  known: { idle: known, asked: known, bound: known },
  due: {
    // Refreshed once: from then on it is known again, until the refresh has failed.
    idle: { ...due, request: to("known", "refresh"), glance: to("known", "refresh") },
    asked: due,
    bound: due,
  },
  kept: {
    idle: { ...kept, request: to("kept", "refresh"), glance: to("kept", "refresh") },
    asked: kept,
    bound: kept,
  },
  failed: { idle: failed, asked: failed, bound: failed },
};

/** One step for somebody who wants to know; pure. */
export function stepWant<P extends DestinationPhase>(
  phase: P,
  sight: DestinationSight,
  signal: WantSignal,
): Row<WantActions[P]> {
  const rows: Rows<P> = DESTINATION_TABLE[phase][sight];
  return rows[signal];
}

/** One step for a lookup that has ended; pure. */
export function stepLookup(phase: DestinationPhase, sight: DestinationSight, signal: LookupSignal): Row<LookupAction> {
  return DESTINATION_TABLE[phase][sight][signal];
}

/** What is known of a lookup that has ended. */
export interface LookupFacts {
  readonly isFound: boolean;
  /** The endpoint, the destination or the SM is another one than when it began. */
  readonly isPast: boolean;
  readonly isLeft: boolean;
  /** The failure is the whole chain's, of today, and worth remembering. */
  readonly isForGood: boolean;
  /** Everybody who was asked has said that he does not know, whoever had found it before among them. */
  readonly isDenied: boolean;
}

export function lookupSignal({ isFound, isPast, isLeft, isForGood, isDenied }: LookupFacts): LookupSignal {
  if (isPast) return "past";
  if (isFound) return "found";
  if (isLeft) return "left";
  if (!isForGood) return "undecided";
  return isDenied ? "denied" : "failed";
}
