import { OPTION_TABLE, type OptionKey } from "../options/option-table.js";
import type { OptionLines } from "../options/read-options.js";
import { type Diagnostic, REMARKS_KEPT } from "../text/diagnostic.js";
import { linesOf } from "../text/lines.js";

/** What stands around the keys of an options file. */
export interface OptionComments {
  /** By key: the comment lines above it, and what follows its value. */
  readonly byKey: ReadonlyMap<OptionKey, { readonly above: readonly string[]; readonly behind: string }>;
  /** What belongs to no key that counts, in order. */
  readonly rest: readonly string[];
}

/** Collects the comments of an options file, and as comments the lines that have no effect, with the reason. */
export function optionComments(text: string, lines: OptionLines, diagnostics: readonly Diagnostic[]): OptionComments {
  const byKey = new Map<OptionKey, { above: readonly string[]; behind: string }>();
  let above: string[] = [];
  let number = 0;
  let left = 0;
  const reasons = new Map([...diagnostics].reverse().map(({ line, message }) => [line, message]));
  for (const line of linesOf(text)) {
    number += 1;
    const [word = "", value, ...behind] = line.trim().split(/\s+/);
    if (word === "") continue;
    if (word.startsWith("#")) {
      above.push(line.trim().replace(/^#+ ?/, ""));
      continue;
    }
    const key = word.toLowerCase();
    if (isKey(key) && lines.get(key) === number) {
      byKey.set(key, { above, behind: behind.join(" ").replace(/^#+ ?/, "") });
      above = [];
      continue;
    }
    left += 1;
    if (left > REMARKS_KEPT) continue;
    const reason = reasons.get(number) ?? `it has no effect${isKey(key) ? ": another line wins" : ""}`;
    above.push(`not carried over: ${[word, value, ...behind].join(" ").trim()} (${reason})`);
  }
  if (left > REMARKS_KEPT) above.push(`not carried over: ${String(left - REMARKS_KEPT)} more lines without an effect`);
  return { byKey, rest: above };
}

function isKey(key: string): key is OptionKey {
  return Object.hasOwn(OPTION_TABLE, key);
}
