import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../../../ib/test/vectors");

/** Recorded bytes: a file of the vectors that were taken from ibacm. */
export function recorded(folder: string, file: string): Buffer {
  return Buffer.from(readFileSync(join(root, folder, file), "utf8").trim(), "hex");
}
