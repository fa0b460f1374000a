import { type Check, type Finding, finding } from "../check.js";
import type { LibrarySeen } from "../probe.js";

/** The addon and the two libraries: which files, which versions, what their absence costs. */
export const libraries: Check = {
  id: "libraries",
  group: "libraries",
  title: "native libraries",
  async run(probe) {
    const { addon, verbs, umad } = await probe.libraries();
    if (!addon.available) return [missing("fail", "native addon", addon)];
    return [
      present("native addon", addon),
      // Without libibverbs ports are still found, through libibumad.
      verbs.available ? present("libibverbs", verbs) : missing(umad.available ? "warn" : "fail", "libibverbs", verbs),
      umad.available ? present("libibumad", umad) : missing("fail", "libibumad", umad),
    ];
  },
};

function present(subject: string, library: Extract<LibrarySeen, { available: true }>): Finding {
  const { path, version } = library;
  return finding("ok", version === undefined ? path : `${path} (${version})`, { subject });
}

function missing(
  verdict: "warn" | "fail",
  subject: string,
  library: Extract<LibrarySeen, { available: false }>,
): Finding {
  return finding(verdict, library.reason, { subject, ...(library.hint === "" ? {} : { remedy: library.hint }) });
}
