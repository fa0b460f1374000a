import { printable } from "@verbena/ib";
import { Document, isMap, isScalar, type Pair, visit } from "yaml";
import { isSection } from "../merge.js";
import { OPTION_TABLE, type OptionKey, type OptionSpec } from "../options/option-table.js";
import type { ConfigInput } from "../schema.js";
import type { OptionComments } from "./option-comments.js";

interface YamlParts {
  readonly input: ConfigInput;
  /** Files it was made of. */
  readonly from: readonly string[];
  readonly comments: OptionComments;
  /** Lines of the address file that have no effect. */
  readonly addressRemarks: readonly string[];
}

/** Text of a `verbena.yaml`. Comments go above the key that says what theirs said; those whose key is not written go to the end. */
export function writeYaml({ input, from, comments, addressRemarks }: YamlParts): string {
  const document = new Document(withoutEmpty(input));
  hexadecimalPkeys(document);
  const rest: string[] = [];
  for (const [key, { above, behind }] of comments.byKey) {
    const pair = pairAt(document, yamlPath(key));
    if (pair === undefined) {
      rest.push(...above, ...(behind === "" ? [] : [`${key}: ${behind}`]));
      continue;
    }
    if (above.length > 0 && isScalar(pair.key))
      pair.key.commentBefore = comment([...linesOf(pair.key.commentBefore), ...above]);
    if (behind !== "" && isScalar(pair.value)) pair.value.comment = ` ${printable(behind)}`;
  }
  const remarks = addressRemarks.map((remark) => `not carried over: ${remark}`);
  const tail = [...rest, ...comments.rest, ...remarks];
  document.commentBefore = comment([
    `Made of ${from.length === 0 ? "defaults" : from.join(" and ")} by \`verbena config convert\`.`,
  ]);
  if (tail.length > 0) document.comment = comment(tail);
  return document.toString({ lineWidth: 0 });
}

/** Where an option is said in `verbena.yaml`; options of a provider share its entry. */
function yamlPath(key: OptionKey): readonly string[] {
  const { yaml }: OptionSpec<unknown> = OPTION_TABLE[key] as OptionSpec<unknown>;
  return yaml.includes(" ") ? ["providers"] : yaml.split(".");
}

function pairAt(document: Document, path: readonly string[]): Pair | undefined {
  let node: unknown = document.contents;
  let found: Pair | undefined;
  for (const part of path) {
    if (!isMap(node)) return undefined;
    found = node.items.find(({ key }) => isScalar(key) && key.value === part);
    node = found?.value;
  }
  return found;
}

/** P_Keys are written as everybody reads them. */
function hexadecimalPkeys(document: Document): void {
  visit(document, {
    Pair(_, { key, value }) {
      if (isScalar(key) && key.value === "pkey" && isScalar(value) && typeof value.value === "number") {
        value.format = "HEX";
      }
    },
  });
}

/** YAML has no place for control characters, not even in comments; a carriage return would end one. */
function comment(lines: readonly string[]): string {
  return lines.map((line) => (line === "" ? "" : ` ${printable(line)}`)).join("\n");
}

function linesOf(text: string | null | undefined): readonly string[] {
  return typeof text === "string" ? text.split("\n").map((line) => line.replace(/^ /, "")) : [];
}

/** Sections without keys are left out. */
function withoutEmpty(input: object): object {
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(input) as [string, unknown][]) {
    const inner = isSection(value) ? withoutEmpty(value) : value;
    if (inner === undefined || (isSection(inner) && Object.keys(inner).length === 0)) continue;
    kept.push([key, inner]);
  }
  return Object.fromEntries(kept);
}
