// Adds a section to docs/errors.md for every error code that has none, and drops sections of codes that are gone. Sections
// that are there keep their text: it is written by hand. Reads the built packages.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { packages } from "./entries.mjs";
import { root } from "./paths.mjs";

const path = join(root, "docs/errors.md");
const intro = `# Error codes

Every error of Verbena carries a \`code\`, a message, usually a \`hint\`, and for failures of the operating system also \`errno\` and
\`syscall\`. Recognise errors with \`VerbenaError.is(error)\` and compare \`code\`; messages may change, codes do not. Words in braces
stand for the values of the case at hand.
`;

const old = existsSync(path) ? readFileSync(path, "utf8") : "";
const kept = new Map();
for (const section of old.split(/^(?=##)/m)) {
  const code = /^### `?(VERBENA_[A-Z0-9_]+)`?/.exec(section)?.[1];
  const name = /^## (\S+)/.exec(section)?.[1];
  const text = section.includes("\n") ? section.slice(section.indexOf("\n")).trim() : "";
  if (code ?? name) kept.set(code ?? name, text);
}

const parts = [old.includes("\n## ") ? `${old.slice(0, old.indexOf("\n## ")).trim()}\n` : intro];
for (const { path: folder, manifest } of packages()) {
  const built = join(folder, "dist/errors.js");
  if (!existsSync(built)) continue;
  const table = Object.entries(createRequire(import.meta.url)(built)).find(([name]) => name.endsWith("_ERRORS"))?.[1];
  if (!table) continue;
  const about = kept.get(manifest.name);
  parts.push(`## ${manifest.name}\n${about ? `\n${about}\n` : ""}`);
  for (const code of Object.keys(table).sort()) {
    const { message, hint } = table[code];
    const text = kept.get(code) ?? `Message: \`${message}\`\n\n${hint ?? ""}`.trim();
    parts.push(`### \`${code}\`\n\n${text}\n`);
  }
}
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, parts.join("\n"));
