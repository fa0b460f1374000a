import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Replaces the part between the marks of `name` in the page, or appends it. Other benchmarks keep theirs. */
export function writeSection(path, name, text) {
  const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const page = existsSync(path) ? readFileSync(path, "utf8") : "# Performance\n";
  const section = `${begin}\n\n${text.trimEnd()}\n\n${end}`;
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  writeFileSync(path, after === undefined ? `${page.trimEnd()}\n\n${section}\n` : `${before}${section}${after}`);
}
