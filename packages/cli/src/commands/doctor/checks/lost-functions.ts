import { type Check, finding, skipped } from "../check.js";

/** What the running daemon cannot do for want of a privilege, a library or a module. */
export const lostFunctions: Check = {
  id: "lost-functions",
  group: "service",
  title: "lost functions",
  async run(probe) {
    const seen = await probe.daemon();
    if (seen === undefined) return skipped("no verbena daemon answers");
    const { degraded } = seen.status;
    if (degraded === undefined) return skipped("this daemon does not tell");
    if (degraded.length === 0) return [finding("ok", "none")];
    return degraded.map(({ function: subject, reason, remedy }) =>
      finding("fail", reason, { subject, ...(remedy === undefined ? {} : { remedy }) }),
    );
  },
};
