import { type Gid, Rate } from "@verbena/ib";
import type { GroupStatus } from "../sdk/group.js";
import type { BothWays } from "./group-problems.js";

/**
 * The group that a path to a destination would be made of. `joined`: least preferred first, the base group before all others. `shared`: the one that the
 * destination has said both are in; where it has said nothing, or this end is no longer in it, the most preferred whose rate and MTU both ways carry, else
 * the first. `undefined` = none is joined.
 */
export function expectedGroup(
  joined: readonly GroupStatus[],
  shared: Gid | undefined,
  { forward, reverse }: BothWays,
): GroupStatus | undefined {
  const isCarried = ({ rate, mtu }: GroupStatus): boolean =>
    [forward, reverse].every((path) => path !== undefined && mtu <= path.mtu && Rate.compare(rate, path.rate) <= 0);
  return joined.find(({ mgid }) => mgid === shared) ?? joined.findLast(isCarried) ?? joined[0];
}

/** Whether there is a path each way, both of this service level. */
export function hasLevel({ forward, reverse }: BothWays, sl: number): boolean {
  return forward?.sl === sl && reverse?.sl === sl;
}
