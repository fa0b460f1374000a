import type { LostFunctionJson } from "@verbena/core/client";

/** What the daemon cannot do, for the end of a table; nothing when it can do all, or does not tell. */
export function lostText(lost: readonly LostFunctionJson[] = []): string {
  const lines = lost.flatMap(({ function: what, reason, remedy }) => [
    `lost: ${what} (${reason})`,
    ...(remedy === undefined ? [] : [`hint: ${remedy}`]),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}
