// The scripts are ES modules, which jest cannot load: a Node of its own evaluates them.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./workspace.js";

/** Runs a program in the root of the clone. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const options = { cwd: root, encoding: "utf8", env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(command, args, options);
  return { status, stdout, stderr };
}

/** Evaluates an expression over `m`, a module of scripts/lib; may await. Throws what the expression throws, as text. */
export function evaluate(module: string, expression: string): unknown {
  const url = JSON.stringify(join(root, "scripts/lib", module));
  const program = `import * as m from ${url}; console.log(JSON.stringify((await (${expression})) ?? null));`;
  const { status, stdout, stderr } = run(process.execPath, ["--input-type=module", "--eval", program]);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
