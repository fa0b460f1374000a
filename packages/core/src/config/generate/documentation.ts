import { OPTION_TABLE, type OptionSpec } from "../options/option-table.js";
import { configSchema } from "../schema.js";
import { type SchemaShape, shapeOf, unwrap } from "../yaml/schema-shape.js";

/** The tables of `docs/configuration.md`, made from the schema and the option table; a test compares. */
export function configurationTables(): { readonly yaml: string; readonly options: string } {
  return { yaml: yamlTable(), options: optionTable() };
}

function yamlTable(): string {
  const rows = [...keys(shapeOf(configSchema), "")];
  return table(["Key", "Value", "Default", "Meaning"], rows);
}

function optionTable(): string {
  const rows = Object.entries(OPTION_TABLE as Readonly<Record<string, OptionSpec<unknown>>>).map(([key, spec]) => [
    `\`${key}\``,
    spec.kind.values.replaceAll("`", ""),
    String(spec.fallback),
    spec.unit ?? "",
    spec.summary,
    spec.yaml.includes(" ") ? spec.yaml : `\`${spec.yaml}\``,
  ]);
  return table(["Key", "Value", "Default in ibacm", "Unit", "Meaning", "In verbena.yaml"], rows);
}

function* keys(schema: SchemaShape, prefix: string): Generator<readonly string[]> {
  const shape = unwrap(schema);
  const inner = shape.item ?? shape;
  if (inner.entries === undefined) {
    yield [`\`${prefix}\``, valueText(shape), defaultText(schema), descriptionOf(schema)];
    return;
  }
  for (const [key, entry] of Object.entries(inner.entries)) {
    const at = shape.item === undefined ? prefix : `${prefix}[]`;
    yield* keys(entry, at === "" ? key : `${at}.${key}`);
  }
}

function valueText(shape: SchemaShape): string {
  if (shape.type === "picklist") return (shape.options ?? []).map((option) => `\`${String(option)}\``).join(", ");
  if (typeof shape.message === "string") return shape.message.replace(/^must be (an? )?/, "");
  return shape.type === "record" ? "section of keys" : shape.type;
}

function defaultText(schema: SchemaShape): string {
  if (schema.wrapped === undefined) return "required";
  return schema.default === undefined ? "" : `\`${JSON.stringify(schema.default).replaceAll('"', "")}\``;
}

function descriptionOf(schema: SchemaShape): string {
  const own = unwrap(schema).pipe?.findLast(({ type }) => type === "description");
  return own?.description ?? "";
}

function table(head: readonly string[], rows: Iterable<readonly string[]>): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...[...rows].map(line)].join("\n");
}
