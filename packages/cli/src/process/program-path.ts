import { join } from "node:path";
import { packageFolder } from "../package-folder.js";

/** The program's own file, for processes that run another command of it. */
export function programPath(): string {
  return join(packageFolder(), "bin", "verbena.js");
}
