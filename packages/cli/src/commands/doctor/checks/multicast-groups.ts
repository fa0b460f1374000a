import { type Check, finding, skipped } from "../check.js";

/** Whether the multicast groups of each endpoint are joined. */
export const multicastGroups: Check = {
  id: "multicast-groups",
  group: "service",
  title: "multicast groups",
  async run(probe) {
    const seen = await probe.daemon();
    if (seen === undefined) return skipped("no verbena daemon answers");
    const groups = seen.endpoints.flatMap(({ key, groups: own = [] }) => own.map((group) => ({ key, ...group })));
    if (groups.length === 0) return skipped("no endpoint uses any");
    const joined = groups.filter(({ state }) => state === "joined").length;
    const out = groups.filter(({ state }) => state !== "joined");
    return [
      finding("ok", `${String(joined)} of ${String(groups.length)} joined`),
      ...out.map(({ key, mgid, role, state, problem }) =>
        finding("warn", `${role} group ${mgid} is ${state}${problem === undefined ? "" : `: ${problem}`}`, {
          subject: key,
          remedy: remedyOf(state),
        }),
      ),
    ];
  },
};

function remedyOf(state: string): string {
  return state === "left-out"
    ? "lower min_rate, min_mtu or the options' groups to what the port can carry"
    : "look at the subnet administrator with `verbena stats`; the join is tried again by itself";
}
