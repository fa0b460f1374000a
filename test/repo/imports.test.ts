// The import rules on a small workspace that breaks each of them once.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./workspace.js";

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
}

const entry = (path: string) => ({ "@verbena/source": `./src/${path}`, default: `./dist/${path}` });
const manifest = (name: string, exports: object) =>
  JSON.stringify({ name: `@verbena/${name}`, version: "0.0.0", exports });

const lawful: Readonly<Record<string, string>> = {
  "tsconfig.test.json": '{ "compilerOptions": { "module": "node20", "target": "es2023" } }',
  "packages/ib/package.json": manifest("ib", { ".": entry("index.ts") }),
  "packages/ib/src/index.ts": 'export { gid } from "./gid.js";\n',
  "packages/ib/src/gid.ts": "export const gid = 1;\n",
  "packages/ib/src/owner.ts": 'export { part } from "./part.js";\nexport type Owner = 1;\n',
  "packages/ib/src/part.ts": 'import type { Owner } from "./owner.js";\nexport const part: Owner = 1;\n',
  "packages/native/package.json": manifest("native", { ".": entry("index.ts") }),
  "packages/native/src/index.ts": 'export { load } from "./binding.js";\n',
  "packages/native/src/binding.ts": 'import { gid } from "@verbena/ib";\nexport const load = gid;\n',
  "packages/core/package.json": manifest("core", { ".": entry("index.ts"), "./sdk": entry("sdk/index.ts") }),
  "packages/core/src/index.ts": 'import { load } from "@verbena/native";\nexport const core = load;\n',
  "packages/core/src/sdk/index.ts": 'export { inject } from "tsyringe";\n',
  "packages/provider-sa/package.json": manifest("provider-sa", { ".": entry("index.ts") }),
  "packages/provider-sa/src/index.ts":
    'export { inject } from "@verbena/core/sdk";\nexport { gid } from "@verbena/ib";\n',
  "packages/fabric-sim/package.json": manifest("fabric-sim", { ".": entry("index.ts") }),
  "packages/fabric-sim/src/index.ts": 'export { gid } from "@verbena/ib";\n',
};

/** Rule, file, text: the file breaks the rule. */
const unlawful: readonly (readonly [rule: string, path: string, text: string])[] = [
  ["arrows-ib", "packages/ib/src/bad-arrow.ts", 'import "@verbena/native";\n'],
  ["arrows-native", "packages/native/src/bad-arrow.ts", 'import "@verbena/core";\n'],
  ["arrows-core", "packages/core/src/bad-arrow.ts", 'import "@verbena/provider-sa";\n'],
  [
    "arrows-provider",
    "packages/provider-sa/src/bad-core.ts",
    'import { core } from "@verbena/core";\nexport const x = core;\n',
  ],
  [
    "arrows-provider",
    "packages/provider-sa/src/bad-type.ts",
    'import type { load } from "@verbena/native";\nexport type X = typeof load;\n',
  ],
  ["arrows-fabric-sim", "packages/fabric-sim/src/bad-arrow.ts", 'import "@verbena/native";\n'],
  ["no-cycle", "packages/ib/src/bad-cycle.ts", 'import { y } from "./other.js";\nexport const x = y;\n'],
  ["no-relative-path-into-package", "packages/core/src/bad-path.ts", 'import "../../ib/src/index.js";\n'],
  ["no-deep-import", "packages/core/src/bad-deep.ts", 'import "../../ib/src/gid.js";\n'],
  ["no-deep-import-from-outside", "test/bad-deep.ts", 'import "../packages/ib/src/gid.js";\n'],
  ["no-relative-path-from-outside", "examples/bad-path.ts", 'import "../packages/ib/src/index.js";\n'],
  ["no-unresolvable", "packages/core/src/bad-name.ts", 'import "@verbena/ib/gid";\n'],
  ["tsyringe-inside-core", "packages/provider-sa/src/bad-container.ts", 'import "tsyringe";\n'],
  ["no-addon-outside-seam", "packages/core/src/bad-addon.ts", 'import "./addon.node";\n'],
  ["not-to-test", "packages/core/src/bad-test.ts", 'import "./some.test.js";\n'],
];

const targets: Readonly<Record<string, string>> = {
  "packages/ib/src/other.ts": 'import { x } from "./bad-cycle.js";\nexport const y = x;\n',
  "packages/core/src/some.test.ts": "export {};\n",
  "packages/core/src/addon.node": "",
};

const temporary: string[] = [];
afterAll(() => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

function workspace(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "verbena-imports-")));
  temporary.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(join(folder, "node_modules/@verbena"), { recursive: true });
  for (const name of ["ib", "native", "core", "provider-sa", "fabric-sim"]) {
    symlinkSync(join(folder, "packages", name), join(folder, "node_modules/@verbena", name));
  }
  symlinkSync(join(root, "packages/core/node_modules/tsyringe"), join(folder, "node_modules/tsyringe"));
  return folder;
}

function violations(files: Readonly<Record<string, string>>): readonly Violation[] {
  const cwd = workspace(files);
  const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const folders = [...new Set(Object.keys(files).map((path) => path.split("/")[0] ?? ""))].filter(
    (name) => !name.includes("."),
  );
  const args = [program, "--config", join(root, ".dependency-cruiser.cjs"), "--output-type", "json", ...folders];
  const done = spawnSync(process.execPath, args, { cwd, encoding: "utf8", maxBuffer: 1 << 26 });
  if (!done.stdout.startsWith("{")) throw new Error(done.stderr);
  return (JSON.parse(done.stdout) as { summary: { violations: readonly Violation[] } }).summary.violations;
}

describe("import rules", () => {
  it("accept a lawful workspace", () => {
    expect(violations(lawful)).toEqual([]);
  }, 120_000);

  let found: readonly Violation[] = [];
  beforeAll(() => {
    found = violations({
      ...lawful,
      ...targets,
      ...Object.fromEntries(unlawful.map(([, path, text]) => [path, text])),
    });
  }, 120_000);

  it.each(unlawful)("report %s: %s", (rule, path) => {
    expect(found.filter(({ from }) => from === path).map((violation) => violation.rule.name)).toContain(rule);
  });
});

describe("the seam", () => {
  it("is the only place that names the addon", () => {
    const text = `export const path = "build/Release/verbena_native.node";
export function load(): void {
  process.dlopen(module, "");
}
`;
    const args = ["--format", "json", "--stdin", "--stdin-filename", join(root, "packages/core/src/index.ts")];
    const program = join(root, "node_modules/eslint/bin/eslint.js");
    const done = spawnSync(process.execPath, [program, ...args], {
      cwd: root,
      encoding: "utf8",
      input: text,
      // Or the parser takes the text of the file on disk.
      env: { ...process.env, TSESTREE_SINGLE_RUN: "false" },
    });
    const [result] = JSON.parse(done.stdout) as readonly { messages: readonly { ruleId: string; line: number }[] }[];
    const restricted = result?.messages.filter(({ ruleId }) => ruleId.startsWith("no-restricted")) ?? [];
    expect(restricted.map(({ ruleId, line }) => [ruleId, line])).toEqual([
      ["no-restricted-syntax", 1],
      ["no-restricted-properties", 3],
    ]);
  }, 120_000);
});
