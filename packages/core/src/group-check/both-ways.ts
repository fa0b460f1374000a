import type { Gid, PathRecord, PKey } from "@verbena/ib";
import type { SaService } from "../sdk/services.js";
import { type AskContext, askPath } from "./ask-path.js";
import type { BothWays } from "./group-problems.js";

/** What is asked about. */
export interface WantedPair {
  readonly sgid: Gid;
  readonly dgid: Gid;
  readonly pkey: PKey;
  /** Service level of both paths; absent = whichever the SA chooses. */
  readonly sl?: number;
  /** For messages. */
  readonly destination: string;
}

/**
 * Asks the SA, past all caches, for the path to a port and for the same way back, LIDs exchanged. Neither is asked to be reversible: whether it is, the
 * answer says. Rejects as {@link askPath}.
 */
export async function askBothWays(
  sa: SaService,
  { sgid, dgid, pkey, sl, destination }: WantedPair,
  context: AskContext,
): Promise<BothWays> {
  const ask = (fields: Partial<PathRecord>) => askPath(sa, fields, destination, context);
  const wishes = { pkey, ...(sl === undefined ? {} : { sl }) };
  const forward = await ask({ sgid, dgid, ...wishes });
  const lids = forward && { slid: forward.dlid, dlid: forward.slid };
  const reverse = await ask({ sgid: dgid, dgid: sgid, ...lids, ...wishes });
  return { forward, reverse };
}
