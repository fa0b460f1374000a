import { existsSync } from "node:fs";
import { join } from "node:path";

/** Path of a program of examples/: its source, or where the suites are one bundle, the bundle of its own that lies in `examples` beside them. */
export function exampleProgram(example: string, name: string): string {
  const source = join(__dirname, `../../examples/${example}/${name}.js`);
  return existsSync(source) ? source : join(__dirname, `examples/${example}/${name}.mjs`);
}
