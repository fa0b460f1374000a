import { type Check, finding, skipped } from "../check.js";

/** Whether paths made of the multicast groups agree with the subnet administrator's, for some hosts the daemon has found. */
export const multicastPaths: Check = {
  id: "multicast-paths",
  group: "service",
  title: "multicast paths",
  async run(probe) {
    const seen = await probe.multicast();
    if (seen === undefined) return skipped("no verbena daemon answers");
    const checks = seen.checks.filter(({ groups }) => groups.length > 0);
    if (checks.length === 0) return skipped("no other host is known yet, or no group is joined");
    const wrong = checks.filter(({ isUsable }) => !isUsable);
    const summary = `they agree with the subnet administrator's for ${String(checks.length - wrong.length)} of ${String(checks.length)} hosts`;
    if (wrong.length === 0) return [finding("ok", summary)];
    if (!seen.isInUse) return [finding("ok", `${summary}: keep route_prot sa`)];
    return [
      finding("warn", summary, { remedy: "write `route_prot sa` into the options file" }),
      ...wrong.map(({ destination, group, groups }) =>
        finding("warn", groups.find(({ mgid }) => mgid === group)?.problems[0] ?? "no path", {
          subject: destination,
          remedy: `see \`verbena multicast check ${destination}\``,
        }),
      ),
    ];
  },
};
