import { join } from "node:path";

/** Where this package's manifest and `dist` lie; the same from the source, from `dist` and from a bundle in a folder `dist`. */
export function packageFolder(): string {
  return join(__dirname, "..");
}
