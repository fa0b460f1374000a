import { formatAge } from "../../../output/age.js";
import { type Check, finding, skipped } from "../check.js";

/** Names and IPs that another host claims too, as the daemon's providers have noticed. */
export const duplicateAddresses: Check = {
  id: "duplicate-addresses",
  group: "addresses",
  title: "duplicate addresses",
  async run(probe) {
    const seen = await probe.daemon();
    if (seen === undefined) return skipped("no verbena daemon answers");
    const told = seen.endpoints.flatMap(({ key, duplicates }) =>
      duplicates === undefined ? [] : [{ key, duplicates }],
    );
    if (told.length === 0) return skipped("this daemon does not tell");
    const found = told.flatMap(({ key, duplicates }) => duplicates.map((duplicate) => ({ key, ...duplicate })));
    if (found.length === 0) return [finding("ok", "none heard of")];
    return found.map(({ key, address, first, second, ageMs }) =>
      finding("warn", `${first} and ${second} both answer for it on ${key}, last ${formatAge(ageMs)} ago`, {
        subject: address,
        remedy: `give each host an address of its own; until then ${first}, which was first, is used`,
      }),
    );
  },
};
