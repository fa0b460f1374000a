import { OPTION_TABLE, type OptionSpec } from "../options/option-table.js";

const HEADER = `# Options of the address and path resolution daemon.
#
# One "name value" pair per line. A line that begins with # is a comment, and
# anything behind the value is ignored. A name that is missing keeps its
# default, which is the value shown here.
`;

const PROVIDERS = `# Plug-ins in C are not loaded: provider_lib_path and provider lines of an
# old file are reported and passed over. Providers are npm packages, listed in
# verbena.yaml.
#
# provider ibacmp default
`;

/** Text of an options file with every key at ibacm's default. Active lines are those of \`ib_acme -O\`. */
export function generateOptionsFile(): string {
  const blocks = Object.entries(OPTION_TABLE as Readonly<Record<string, OptionSpec<unknown>>>).map(([key, spec]) => {
    const unit = spec.unit === undefined ? "" : `, ${spec.unit}`;
    const line = `${key} ${show(spec.fallback, spec.kind.values)}`;
    return `${comment(`${key} (${spec.kind.values}${unit}): ${spec.summary}`)}\n${spec.generated === "active" ? line : `# ${line}`}\n`;
  });
  return [HEADER, ...blocks, PROVIDERS].join("\n");
}

function show(value: unknown, values: string): string {
  if (typeof value !== "boolean") return String(value);
  return values.startsWith("0") ? (value ? "1" : "0") : value ? "yes" : "no";
}

/** Comment lines below 80 characters: ibacm takes the tail of a line over 119 for a line of its own. */
function comment(text: string): string {
  const lines: string[] = [];
  for (const word of text.replaceAll("`", "").split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > 78) lines.push(`# ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join("\n");
}
