/** What {@link getopt} found: an option, or the end of the road. */
export type Getopt =
  | {
      readonly option: string;
      /** Attached or, if the option requires one, the next word. */
      readonly value?: string;
      /** The word behind the option, whatever it is. */
      readonly next?: string;
    }
  | { readonly error: "unknown" | "no-argument"; readonly option: string };

/**
 * `getopt` of the GNU C library, for single letters: `x` is a flag, `x:` requires an argument, `x::` takes one that is attached.
 * Other words are passed over, and `--` ends the options; with `isPosix` (POSIXLY_CORRECT) the first other word ends them as well.
 */
export function* getopt(args: readonly string[], spec: string, isPosix: boolean): Generator<Getopt, void> {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") return;
    if (word.length < 2 || !word.startsWith("-")) {
      if (isPosix) return;
      continue;
    }
    for (let letter = 1; letter < word.length; letter++) {
      const option = word[letter] ?? "";
      const kind = kindOf(spec, option);
      const rest = word.slice(letter + 1);
      if (kind === undefined) {
        yield { error: "unknown", option };
      } else if (kind === "flag") {
        yield { option };
      } else if (rest !== "") {
        yield { option, value: rest, ...following(args, at + 1) };
        break;
      } else if (kind === "optional") {
        yield { option, ...following(args, at + 1) };
      } else {
        const value = args[++at];
        yield value === undefined ? { error: "no-argument", option } : { option, value, ...following(args, at + 1) };
      }
    }
  }
}

function following(args: readonly string[], at: number): { readonly next?: string } {
  const next = args[at];
  return next === undefined ? {} : { next };
}

function kindOf(spec: string, option: string): "flag" | "required" | "optional" | undefined {
  const at = option === ":" ? -1 : spec.indexOf(option);
  if (at < 0) return undefined;
  if (spec[at + 1] !== ":") return "flag";
  return spec[at + 2] === ":" ? "optional" : "required";
}
