import { existsSync, readFileSync } from "node:fs";

/** The part of a kernel log that tells most: from a crash on, or its end. */
export function tellingPart(text) {
  const rows = text.replaceAll("\r", "").trim().split("\n");
  const crash = rows.findIndex((row) => /BUG:|Oops|Kernel panic/.test(row));
  return crash < 0 ? rows.slice(-25) : rows.slice(crash, crash + 40);
}

/** That part of the log in `path`, ready to follow a message; empty without a log. */
export function logTail(path) {
  const text = existsSync(path) ? readFileSync(path, "latin1") : "";
  return text.trim() === "" ? "" : `\nfrom the kernel log:\n${tellingPart(text).join("\n")}`;
}
