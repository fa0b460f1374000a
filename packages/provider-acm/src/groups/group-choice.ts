import type { Gid } from "@verbena/ib";

/**
 * The group two ends share. `listed` is what the other end says, least preferred first; the last one that is also ours wins, so that its
 * sender's preference decides.
 */
export function chooseGroup<G>(listed: readonly Gid[], own: ReadonlyMap<Gid, G>): G | undefined {
  for (let i = listed.length - 1; i >= 0; i--) {
    const mgid = listed[i];
    const group = mgid === undefined ? undefined : own.get(mgid);
    if (group !== undefined) return group;
  }
  return undefined;
}
