import type { Gid, Lid } from "@verbena/ib";
import { type LookupSignal, lookupSignal } from "../cache/destination-machine.js";
import { type FlightContext, FlightExpired } from "../cache/flights.js";
import type { ChainOutcome } from "./chain.js";
import { breakerErrorOf, type ChainFailure, isStale, verdictOf } from "./chain-failure.js";
import type { LocalEndpoint, Moment } from "./local-endpoint.js";
import { failedLookup, Restart } from "./request-call.js";

/** A lookup whose chain has settled. */
export interface Ended<A> {
  readonly endpoint: LocalEndpoint;
  readonly flight: FlightContext;
  /** When it began. */
  readonly moment: Moment;
  readonly outcome: ChainOutcome<A>;
  /** Every provider of the chain was there to be asked. */
  readonly isWholeChain: boolean;
  /** Who found what is held of the destination; absent = nothing is. */
  readonly finder?: string | undefined;
}

/** Whether the endpoint is another one by now, or the destination was flushed while the answer was on its way here. */
export function isVoid({ endpoint, flight, moment }: Ended<unknown>): boolean {
  return endpoint.scope !== moment.scope || flight.signal.reason instanceof Restart;
}

/** Whether nobody waits any longer, without its having had its time. */
export function isLeft({ signal }: FlightContext): boolean {
  return signal.aborted && !(signal.reason instanceof FlightExpired);
}

/** What it means for its destination. `ends`: GIDs and LIDs that an answer leads to. */
export function endingSignal<A>(ended: Ended<A>, ends: (answer: A) => readonly (Gid | Lid)[]): LookupSignal {
  const { endpoint, flight, moment, outcome, isWholeChain, finder } = ended;
  const { notices } = endpoint;
  // The SA has spoken of this destination meanwhile: the answer may be older than what it said.
  const isOld = outcome.found ? notices.hasChanged(moment.heard, ends(outcome.answer)) : isStale(outcome.failures);
  // After a notice the failure may be about the time before it; without anybody to ask, or with the SA left alone, nothing has been learnt.
  const isForGood =
    !outcome.found &&
    isWholeChain &&
    notices.position === moment.heard &&
    outcome.failures.length > 0 &&
    leftAlone(outcome.failures) === undefined;
  return lookupSignal({
    isFound: outcome.found,
    isPast: isVoid(ended) || isOld,
    isLeft: isLeft(flight),
    isForGood,
    isDenied: !outcome.found && isDenied(outcome.failures, finder),
  });
}

/** The error of a request whose chain has failed. */
export function chainError(failures: readonly ChainFailure[], destination: string): Error {
  const cause = failures.find((failure) => "error" in failure);
  return (
    leftAlone(failures) ??
    failedLookup(verdictOf(failures), destination, cause !== undefined && "error" in cause ? cause.error : undefined)
  );
}

/** The SA is being left alone, and said nothing before: asking again costs it nothing. */
function leftAlone(failures: readonly ChainFailure[]): Error | undefined {
  return verdictOf(failures).kind === "sa-status" ? undefined : breakerErrorOf(failures);
}

/** Nobody was silent or in trouble, and `finder`, who knew it before, was asked. */
function isDenied(failures: readonly ChainFailure[], finder: string | undefined): boolean {
  const hasAsked = finder === undefined || failures.some(({ provider }) => provider === finder);
  return hasAsked && failures.every(({ kind }) => kind === "unknown");
}
