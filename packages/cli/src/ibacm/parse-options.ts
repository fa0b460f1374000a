/** The command line of `ibacm`. */
export interface IbacmOptions {
  /** `-P`; `--systemd` implies it. */
  readonly foreground: boolean;
  readonly systemd: boolean;
  readonly addresses?: string;
  readonly options?: string;
}

/** What to serve with, or what is wrong. */
export type ParsedIbacm = { readonly options: IbacmOptions } | { readonly complaint: string };

const LONG = "systemd";

/**
 * Reads the words as `getopt_long` with `DPA:O:` and `--systemd` (which may be shortened) does; words that are no options are passed
 * over, `--` ends the options, and the last of `-D` and `-P` counts.
 */
export function parseIbacm(words: readonly string[]): ParsedIbacm {
  const found: { -readonly [K in keyof IbacmOptions]: IbacmOptions[K] } = { foreground: false, systemd: false };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") break;
    if (word.startsWith("--")) {
      if (!LONG.startsWith(word.slice(2))) return { complaint: `unrecognized option '${word}'` };
      found.systemd = true;
      continue;
    }
    if (!word.startsWith("-")) continue;
    for (let letter = 1; letter < word.length; letter++) {
      const option = word[letter] ?? "";
      if (option === "D" || option === "P") {
        found.foreground = option === "P";
        continue;
      }
      if (option !== "A" && option !== "O") return { complaint: `invalid option -- '${option}'` };
      const attached = word.slice(letter + 1);
      const value = attached === "" ? words[++at] : attached;
      if (value === undefined) return { complaint: `option requires an argument -- '${option}'` };
      found[option === "A" ? "addresses" : "options"] = value;
      break;
    }
  }
  return { options: found.systemd ? { ...found, foreground: true } : found };
}
