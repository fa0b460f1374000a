import type { Endpoint } from "@verbena/core/sdk";
import { ACM_MAX_GIDS, Mtu, Rate } from "@verbena/ib";
import { type AcmProviderOptions, rateOf } from "../options.js";
import { compareGroups, type GroupSpec, groupSpec } from "./group-spec.js";

/** The groups of an endpoint. */
export interface GroupPlan {
  readonly base: GroupSpec;
  /** The base group first, then the others, least preferred first: the order of the GID list on the wire, of which it is the whole. */
  readonly joined: readonly GroupSpec[];
  /** Groups of the options that the port is too slow for, or for which the list has no room. */
  readonly left: readonly GroupSpec[];
  /** Whether the options wish for groups beside the base group, joined or not. */
  readonly wishesForMore: boolean;
  /** Whether the port seems able to carry the base group. */
  readonly isBaseCarried: boolean;
  /** What the port can do. */
  readonly port: Pick<GroupSpec, "rate" | "mtu">;
}

type PlanOptions = Pick<AcmProviderOptions, "minRateGbps" | "minMtuBytes" | "portGroup" | "groups">;

/**
 * Which groups an endpoint joins. The base group always, even if the port seems too slow for it: the SA decides. Of the others those that the
 * port can carry, and at most as many as a request can list (6 with the base group), the most preferred.
 */
export function planGroups(
  options: PlanOptions,
  { pkey, port }: Pick<Endpoint, "pkey"> & { readonly port: Pick<Endpoint["port"], "activeRate" | "activeMtu"> },
): GroupPlan {
  const { activeRate, activeMtu } = port;
  const base = groupSpec("base", pkey, {
    rate: rateOf(options.minRateGbps) ?? Rate.RATE_10,
    mtu: Mtu.fromBytes(options.minMtuBytes) ?? Mtu.MTU_2048,
  });
  const wanted = options.groups.map(({ rateGbps, mtuBytes, sl, trafficClass }) =>
    groupSpec("preferred", pkey, {
      rate: rateOf(rateGbps) ?? Rate.zero,
      mtu: Mtu.fromBytes(mtuBytes) ?? Mtu.zero,
      sl,
      trafficClass,
    }),
  );
  // A port that does not tell its speed has no group of its own.
  if (options.portGroup && activeRate !== Rate.zero) {
    wanted.push(groupSpec("preferred", pkey, { rate: activeRate, mtu: activeMtu }));
  }
  const distinct = new Map(wanted.filter(({ mgid }) => mgid !== base.mgid).map((group) => [group.mgid, group]));
  const sorted = [...distinct.values()].sort(compareGroups);
  const isCarried = ({ rate, mtu }: GroupSpec): boolean =>
    activeRate === Rate.zero || (Rate.compare(rate, activeRate) <= 0 && mtu <= activeMtu);
  const chosen = new Set(sorted.filter(isCarried).slice(1 - ACM_MAX_GIDS));
  return {
    base,
    joined: [base, ...chosen],
    left: sorted.filter((group) => !chosen.has(group)),
    wishesForMore: options.portGroup || options.groups.length > 0,
    isBaseCarried: isCarried(base),
    port: { rate: activeRate, mtu: activeMtu },
  };
}
