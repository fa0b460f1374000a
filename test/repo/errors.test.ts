// Every error code has one entry in its package's table and one section in docs/errors.md. The sections are written by hand;
// the sets of codes are compared.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readText, root, workspaces } from "./workspace.js";

type Table = Readonly<Record<string, { readonly message: string; readonly hint?: string }>>;

async function tables(): Promise<readonly { folder: string; name: string; table: Table }[]> {
  const found: { folder: string; name: string; table: Table }[] = [];
  for (const folder of workspaces()) {
    const path = join(root, folder, "src/errors.ts");
    if (!folder.startsWith("packages/") || !existsSync(path)) continue;
    const exports = (await import(path)) as Readonly<Record<string, unknown>>;
    for (const [name, table] of Object.entries(exports)) {
      if (name.endsWith("_ERRORS")) found.push({ folder, name, table: table as Table });
    }
  }
  return found;
}

const documented = (): readonly string[] =>
  [...readText("docs/errors.md").matchAll(/^###? `?(VERBENA_[A-Z0-9_]+)`?\s*$/gm)].map(([, code]) => code ?? "");

describe("error codes", () => {
  it("have one table in each package that has src/errors.ts", async () => {
    for (const { folder } of await tables())
      expect((await tables()).filter((other) => other.folder === folder)).toHaveLength(1);
    expect((await tables()).length).toBeGreaterThan(0);
  });

  it("are spelt VERBENA_<AREA>_<WHAT>, have a message, and are not used twice", async () => {
    const seen = new Map<string, string>();
    for (const { folder, table } of await tables()) {
      for (const [code, { message }] of Object.entries(table)) {
        expect(code).toMatch(/^VERBENA_[A-Z0-9]+(_[A-Z0-9]+)+$/);
        expect(`${code}: ${message}`).toMatch(/: \S/);
        expect([code, seen.get(code)]).toEqual([code, undefined]);
        seen.set(code, folder);
      }
    }
  });

  it("have one section each in docs/errors.md, and it has no others", async () => {
    const codes = (await tables()).flatMap(({ table }) => Object.keys(table));
    expect([...documented()].sort()).toEqual([...codes].sort());
  });
});
