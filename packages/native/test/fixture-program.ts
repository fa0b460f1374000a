import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * A program of test/fixtures and the options of Node that run it: its source, or where the suites are one bundle, the bundle of its own
 * that lies in `fixtures` beside them.
 */
export function fixtureProgram(name: string): { readonly path: string; readonly execArgv: readonly string[] } {
  const source = join(__dirname, `fixtures/${name}.ts`);
  if (!existsSync(source)) return { path: join(__dirname, `fixtures/${name}.js`), execArgv: [] };
  const hook = join(__dirname, "../../fabric-sim/test/source-hook.cjs");
  return { path: source, execArgv: ["--conditions=@verbena/source", "--require", hook] };
}
