import { Gid, type PathRecord, PKey } from "@verbena/ib";
import type { FabricHistory, Told } from "./fabric-history.js";

/** An answer of a daemon. */
export interface Answer {
  readonly node: string;
  readonly destination: string;
  /** The host that was asked for, where the destination names one. */
  readonly wanted?: string;
  readonly path: PathRecord;
  /** Machine time of the reply. */
  readonly atMs: number;
  /** How long after it is in the log a daemon may take to read what it was told: its turn, and those of this process. */
  readonly graceMs: number;
}

/** What every daemon promises. */
export interface OracleLimits {
  /** How long a path may be used after it has ended, if nothing has told the daemon. */
  readonly routeTtlMs: number;
}

/** Events of the own port after which nothing that was learnt before may be used. */
const OWN_EVENTS = new Set(["port-err", "port-active", "lid-change", "sm-change", "pkey-change", "client-reregister"]);

/**
 * Why an answer is wrong, or `undefined`. Right is a path that the fabric had at the reply, or at some instant since the last thing that the
 * daemon was told about it; a change that nobody announced to the daemon may be unknown to it for the lifetime of a route.
 */
export function judge(history: FabricHistory, answer: Answer, { routeTtlMs }: OracleLimits): string | undefined {
  const { node, path, atMs, wanted, graceMs } = answer;
  const lives = history.lives(node, path.dlid).filter(({ path: known }) => isSame(known, path));
  const last = lives.at(-1);
  if (last === undefined) return "the fabric never had this path";
  if (wanted !== undefined && !last.path.to.startsWith(`${wanted}[`)) return `it leads to ${last.path.to}`;
  const staleMs = atMs - Math.max(...lives.map(({ toMs }) => toMs));
  if (staleMs <= graceMs) return undefined;
  const announced = history.told.find(
    (told) =>
      told.node === node &&
      told.seq >= last.toSeq &&
      told.atMs < atMs - graceMs &&
      concerns(told, path, last.path.dgid),
  );
  if (announced !== undefined) {
    const beforeMs = Math.round(atMs - announced.atMs);
    return `it ended ${Math.round(staleMs)} ms before, and ${announced.what} told so ${beforeMs} ms before`;
  }
  return staleMs <= routeTtlMs + graceMs
    ? undefined
    : `it ended ${Math.round(staleMs)} ms before, which is more than its lifetime`;
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
  path: PathRecord,
): boolean {
  return (
    known.slid === path.slid &&
    known.dlid === path.dlid &&
    known.sgid === Gid.format(path.sgid) &&
    known.dgid === Gid.format(path.dgid) &&
    known.mtu === path.mtu &&
    known.rate === path.rate &&
    known.pkeys.includes(PKey.format(path.pkey))
  );
}
