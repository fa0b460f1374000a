import { OPTION_TABLE, type OptionKey } from "../options/option-table.js";
import type { OptionLines } from "../options/read-options.js";
import type { Diagnostic } from "../text/diagnostic.js";

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
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [word = "", value, ...behind] = line.trim().split(/\s+/);
    if (word === "") continue;
    if (word.startsWith("#")) {
      above.push(line.trim().replace(/^#+ ?/, ""));
      continue;
    }
    const key = word.toLowerCase();
    if (isKey(key) && lines.get(key) === index + 1) {
      byKey.set(key, { above, behind: behind.join(" ").replace(/^#+ ?/, "") });
      above = [];
      continue;
    }
    const reason = diagnostics.find((one) => one.line === index + 1)?.message ?? "it has no effect: another line wins";
    above.push(`not carried over: ${[word, value, ...behind].join(" ").trim()} (${reason})`);
  }
  return { byKey, rest: above };
}

function isKey(key: string): key is OptionKey {
  return Object.hasOwn(OPTION_TABLE, key);
}
