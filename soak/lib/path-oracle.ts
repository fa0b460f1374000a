import { Gid, type PathRecord, PKey } from "@verbena/ib";
import { type FabricHistory, nodeOf, type Told } from "./fabric-history.js";

/** What was asked, and of whom. */
export interface Question {
  readonly node: string;
  readonly destination: string;
  /** The host that the destination names for good. Without it, the destination is an address that moves. */
  readonly wanted?: string;
}

/** An answer of a daemon. */
export interface Answer extends Question {
  readonly path: PathRecord;
  /** Machine time of the reply. */
  readonly atMs: number;
  /** How long a daemon may have taken by then to read what was in the log at `sinceMs`: its turn, and those of this process. */
  readonly graceMs: (sinceMs: number) => number;
}

/** What every daemon promises (docs/configuration.md, Changes that nobody announces; docs/names.md, When addresses move). */
export interface OracleLimits {
  /** How long a path may be used after it has ended, if nothing has told the daemon: its own lifetime and that of a table ahead of it. */
  readonly routeTtlMs: number;
  /** The same for who has an IP address, from when the new host has registered it. */
  readonly registryTtlMs: number;
  /** How long a host that could not reach the SA may take to register an address. */
  readonly leaseMs: number;
}

/** Events of the own port after which nothing that was learnt before may be used. */
export const OWN_EVENTS: ReadonlySet<string> = new Set([
  "port-err",
  "port-active",
  "lid-change",
  "gid-change",
  "sm-change",
  "pkey-change",
  "client-reregister",
]);

/** When something that an answer uses ended. */
interface End {
  readonly toSeq: number;
  readonly toMs: number;
}

/**
 * Why an answer is wrong, or `undefined`. Right is a path that the fabric had at the reply, or at some instant since the last thing that the
 * daemon was told about it; a change that nobody announced to the daemon may be unknown to it for the lifetime of a route. An address that
 * moves leads to the host that has it, or had it within such a time.
 */
export function judge(history: FabricHistory, answer: Answer, limits: OracleLimits): string | undefined {
  const { node, path, wanted, destination } = answer;
  if (path.sgid === path.dgid && isIp(destination)) return judgeOwn(history, answer, limits);
  const lives = history.lives(node, path.dlid).filter(({ path: known }) => isSame(known, answer));
  const last = lives.at(-1);
  if (last === undefined) return "the fabric never had this path";
  const to = nodeOf(last.path.to);
  if (wanted !== undefined && to !== wanted) return `it leads to ${to}`;
  const problem = wanted === undefined ? judgePlace(history, answer, to, limits) : undefined;
  if (problem !== undefined) return problem;
  const end = lives.reduce((latest, life) => (life.toMs > latest.toMs ? life : latest));
  return staleness(history, answer, end, limits.routeTtlMs, path.dgid);
}

/** An own address is answered from the port itself, which is told of every change. */
function judgeOwn(history: FabricHistory, answer: Answer, limits: OracleLimits): string | undefined {
  const { node, path } = answer;
  const lid = history.lidsOf(node).findLast(({ at }) => at === String(path.dlid));
  if (lid === undefined || path.slid !== path.dlid) return `it leads to itself by a LID that ${node} never had`;
  return staleness(history, answer, lid, 0, path.dgid) ?? judgePlace(history, answer, node, limits);
}

/** Whether the host has the address that moves. */
function judgePlace(history: FabricHistory, answer: Answer, to: string, limits: OracleLimits): string | undefined {
  const { destination, path } = answer;
  const place = history.places(destination).findLast(({ at }) => at === to);
  if (place === undefined) return `it leads to ${to}, which never had the address`;
  const problem = isIp(destination)
    ? movedBefore(history, answer, place, limits)
    : staleness(history, answer, place, limits.routeTtlMs, path.dgid);
  return problem && `${to} had the address, but ${problem}`;
}

export function isIp(destination: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(destination);
}

function staleness(
  history: FabricHistory,
  { node, path, atMs, graceMs }: Answer,
  end: End,
  ttlMs: number,
  dgid: Gid,
): string | undefined {
  const staleMs = atMs - end.toMs;
  if (staleMs <= graceMs(end.toMs)) return undefined;
  const announced = history.told.find(
    (told) =>
      told.node === node &&
      told.seq >= end.toSeq &&
      told.followedByMs + graceMs(told.followedByMs) < atMs &&
      concerns(told, path, Gid.format(dgid)),
  );
  if (announced !== undefined) {
    const beforeMs = Math.round(atMs - announced.atMs);
    return `it ended ${Math.round(staleMs)} ms before, and ${announced.what} told so ${beforeMs} ms before`;
  }
  // A lifetime counts from when the answer came; the SA had written it down as long before as it held it back.
  const endMs = end.toMs + ttlMs + history.saDelayMs(end.toMs);
  return atMs <= endMs + graceMs(endMs)
    ? undefined
    : `it ended ${Math.round(staleMs)} ms before, which is more than its lifetime`;
}

/** An IP address is followed from when its new host has registered it, which takes a moment when all is well. */
function movedBefore(
  history: FabricHistory,
  { destination, atMs, graceMs }: Answer,
  end: End,
  { registryTtlMs, leaseMs }: OracleLimits,
): string | undefined {
  const staleMs = atMs - end.toMs;
  const next = history.places(destination).at(-1)?.at;
  const untilMs = end.toMs + graceMs(end.toMs);
  const wasHard =
    next === undefined ||
    history.hadSaFault(end.toMs, untilMs) ||
    history.wasDown(next, end.toMs, untilMs) ||
    history.wasLossy(next, end.toMs, untilMs);
  const ttlMs = registryTtlMs + (wasHard ? leaseMs : history.saDelayMs(untilMs));
  const limitMs = ttlMs + graceMs(end.toMs);
  return staleMs <= limitMs ? undefined : `it moved ${Math.round(staleMs)} ms before, and ${limitMs} ms were given`;
}

/** Whether something that a node was told voids a path: its own port changed, or the destination left, came or moved. */
function concerns({ what, gid, issuerLid }: Told, path: PathRecord, dgid: string): boolean {
  if (OWN_EVENTS.has(what)) return true;
  if (what === "64" || what === "65") return gid === dgid;
  return what === "144" && issuerLid === path.dlid;
}

function isSame(
  known: Record<"sgid" | "dgid", string> &
    Record<"slid" | "dlid" | "mtu" | "rate", number> & { readonly pkeys: readonly string[] },
  { path, destination, wanted }: Answer,
): boolean {
  const dgid = Gid.format(path.dgid);
  // A path by an alias carries the alias.
  const isAlias = wanted === undefined && dgid === destination;
  return (
    known.slid === path.slid &&
    known.dlid === path.dlid &&
    known.sgid === Gid.format(path.sgid) &&
    (isAlias || known.dgid === dgid) &&
    known.mtu === path.mtu &&
    known.rate === path.rate &&
    known.pkeys.includes(PKey.format(path.pkey))
  );
}
