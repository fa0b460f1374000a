import { join } from "node:path";

/** The program's own file, for processes that run another command of it. */
export function programPath(): string {
  return join(__dirname, "..", "..", "bin", "verbena.js");
}
