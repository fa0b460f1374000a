import type { FabricHistory } from "./fabric-history.js";
import { isIp, OWN_EVENTS, type Question } from "./path-oracle.js";

/** A request that got an error. */
export interface Failure extends Question {
  readonly code: string;
  /** Its life, machine time. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly graceMs: number;
}

/** How far back the reason of a failure may lie. */
export interface FailureLimits {
  /** Hosts on which a subnet manager runs, or may. */
  readonly managers: readonly string[];
  /** The most that one try of a question to the SA takes, and all of them: a request may have joined a lookup that began so long before. */
  readonly tryMs: number;
  readonly patienceMs: number;
  readonly negativeTtlMs: number;
  /** How long a manager may take to know what has come, or to say so. */
  readonly settleMs: number;
  /** How long a host may take to register its addresses again after it was told to. */
  readonly registeringMs: number;
}

/**
 * What in the life of a failed request, or of the lookup that it joined, was a reason for it; `undefined` if there was none. A code is right
 * for what it says only: a destination is not found because it cannot be reached, not because the SA is slow.
 */
export function reasonOf(history: FabricHistory, failure: Failure, limits: FailureLimits): string | undefined {
  const life = lifeOf(history, failure, limits);
  const own = ownReason(history, failure, life);
  switch (failure.code) {
    case "VERBENA_RESOLVE_NO_SOURCE":
      return own ?? sourceReason(history, failure, life);
    case "VERBENA_RESOLVE_NOT_READY":
      return own;
    case "VERBENA_RESOLVE_NO_DATA":
      return own ?? destinationReason(history, failure, limits, life);
    case "VERBENA_RESOLVE_TIMEOUT":
    case "VERBENA_SA_BREAKER_OPEN":
      return own ?? managerReason(history, failure, limits, life);
    default:
      return undefined;
  }
}

type Life = readonly [fromMs: number, toMs: number];

/** From the beginning of the earliest lookup that may have been joined, or have left a failure behind: short unless the SA kept it waiting. */
function lifeOf(history: FabricHistory, failure: Failure, limits: FailureLimits): Life {
  const { fromMs, toMs } = failure;
  const { patienceMs, tryMs, negativeTtlMs } = limits;
  const longest: Life = [fromMs - patienceMs - negativeTtlMs, toMs];
  const hadToWait = managerReason(history, failure, limits, longest) !== undefined;
  return hadToWait ? longest : [fromMs - tryMs - negativeTtlMs, toMs];
}

function ownReason(history: FabricHistory, { node, graceMs }: Failure, [fromMs, toMs]: Life): string | undefined {
  if (history.wasDown(node, fromMs, toMs)) return "the asker's port was down";
  const events = history.told.filter(
    (told) => told.node === node && told.atMs >= fromMs - graceMs && told.atMs <= toMs && OWN_EVENTS.has(told.what),
  );
  return events.length > 0 ? "the asker's port has changed" : undefined;
}

/** Who asks for an IP address needs one. */
function sourceReason(history: FabricHistory, { destination }: Failure, _life: Life): string | undefined {
  return isIp(destination) && history.places(destination).length === 0 ? "nobody has the address" : undefined;
}

function destinationReason(
  history: FabricHistory,
  { node, wanted, destination, graceMs }: Failure,
  limits: FailureLimits,
  [fromMs, toMs]: Life,
): string | undefined {
  const sinceMs = fromMs - limits.settleMs;
  if (wanted !== undefined) return unreachable(history, node, wanted, [sinceMs, toMs]);
  const places = history.places(destination).filter((place) => place.toMs >= sinceMs);
  const [place] = places;
  if (place === undefined || places.length > 1 || place.fromMs >= sinceMs || place.toMs <= toMs)
    return "the address was on its way";
  const cut = unreachable(history, node, place.at, [sinceMs, toMs]);
  if (cut !== undefined || !isIp(destination)) return cut;
  const registeringMs = sinceMs - limits.registeringMs - graceMs;
  const events = history.told.filter(
    (told) => told.node === place.at && told.atMs >= registeringMs && told.atMs <= toMs,
  );
  if (events.some(({ what }) => OWN_EVENTS.has(what))) return "the address was being registered";
  return history.hadSaFault(registeringMs, toMs) || history.wasLossy(place.at, registeringMs, toMs)
    ? "the address could not be registered"
    : undefined;
}

/** A path is wanted that works in both directions. */
function unreachable(history: FabricHistory, node: string, wanted: string, [fromMs, toMs]: Life): string | undefined {
  const { paths } = history;
  const isCut = paths.hadGap(node, wanted, fromMs, toMs) || paths.hadGap(wanted, node, fromMs, toMs);
  return isCut ? "there was no path" : undefined;
}

function managerReason(
  history: FabricHistory,
  { node }: Failure,
  { managers, settleMs }: FailureLimits,
  [fromMs, toMs]: Life,
): string | undefined {
  const life: Life = [fromMs - settleMs, toMs];
  if (history.late.touches(...life)) return "the fabric was late";
  if (history.hadSaFault(...life)) return "the SA was in trouble";
  if (history.wasLossy(node, ...life)) return "packets of the asker were lost";
  return managers.some((manager) => unreachable(history, node, manager, life) !== undefined)
    ? "the manager could not be reached"
    : undefined;
}
