import { isAbsolute, resolve } from "node:path";
import type { ConfigInput } from "../schema.js";

/** Paths in `verbena.yaml` count from its folder. */
export function anchorPaths(input: ConfigInput, folder: string): ConfigInput {
  const anchor = (value: unknown, words: readonly string[] = []): unknown =>
    typeof value !== "string" || value === "" || isAbsolute(value) || words.includes(value)
      ? value
      : resolve(folder, value);
  const sections: Readonly<Record<string, readonly string[]>> = {
    daemon: ["socket", "control", "runDirectory", "logFile", "lockFile"],
    files: ["options", "addresses", "hosts", "routeDump"],
  };
  const result: Record<string, unknown> = { ...input };
  for (const [name, keys] of Object.entries(sections)) {
    const section = result[name];
    if (typeof section !== "object" || section === null || Array.isArray(section)) continue;
    result[name] = Object.fromEntries(
      Object.entries(section).map(([key, value]) => [
        key,
        keys.includes(key) ? anchor(value, ["stdout", "stderr"]) : value,
      ]),
    );
  }
  const { rds } = input;
  const path = rds?.attach?.path;
  if (path !== undefined) result["rds"] = { ...rds, attach: { ...rds?.attach, path: anchor(path) } };
  return result;
}
