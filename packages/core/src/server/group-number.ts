import { readFileSync } from "node:fs";

const GROUPS = "/etc/group";

/** Number of a group, by its name or number; `undefined` when this host has none of that name. */
export function groupNumber(group: string, file = GROUPS): number | undefined {
  if (/^\d{1,10}$/.test(group)) return Number(group);
  const lines = readFileSync(file, "utf8").split("\n");
  const fields = lines.map((line) => line.split(":")).find(([name]) => name === group);
  return fields?.[2] === undefined ? undefined : Number(fields[2]);
}
