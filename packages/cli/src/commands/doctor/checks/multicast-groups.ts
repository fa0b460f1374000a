import { type Check, finding, skipped } from "../check.js";

/** Whether the multicast groups of each endpoint are joined. One that is left out was wished for hosts that are faster. */
export const multicastGroups: Check = {
  id: "multicast-groups",
  group: "service",
  title: "multicast groups",
  async run(probe) {
    const seen = await probe.daemon();
    if (seen === undefined) return skipped("no verbena daemon answers");
    const known = seen.endpoints.flatMap(({ key, groups: own = [] }) => own.map((group) => ({ key, ...group })));
    const groups = known.filter(({ role }) => role !== "foreign");
    if (groups.length === 0) return skipped("no endpoint uses any");
    const count = (wanted: string): number => groups.filter(({ state }) => state === wanted).length;
    const left = count("left-out");
    const rest = left === 0 ? "" : `, ${String(left)} left out: more than the port can carry`;
    return [
      finding("ok", `${String(count("joined"))} of ${String(groups.length)} joined${rest}`),
      ...groups.flatMap(({ key, mgid, role, state, problem }) => {
        if (state === "joined" || state === "left-out") return [];
        const why = problem === undefined ? "" : `: ${problem}`;
        const about = { subject: key, remedy: REMEDY };
        // Without its base group an endpoint neither asks nor answers.
        const verdict = state === "failed" && role === "base" ? "fail" : "warn";
        return [finding(verdict, `${role} group ${mgid} is ${state}${why}`, about)];
      }),
      ...known
        .filter(({ role }) => role === "foreign")
        .map(({ key, mgid, problem = "is another base group" }) =>
          finding("warn", `group ${mgid}, ${problem}`, { subject: key, remedy: FOREIGN_REMEDY }),
        ),
    ];
  },
};

const FOREIGN_REMEDY =
  "write the same min_rate and min_mtu into the options files of all hosts, and restart their services";

const REMEDY =
  "see the subnet manager's log: the port must be in the partition and carry the group's rate and MTU; all hosts need the same min_rate and min_mtu";
