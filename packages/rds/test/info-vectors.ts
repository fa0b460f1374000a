import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A list that a kernel gave, on a little-endian machine. */
export interface RecordedList {
  readonly each: number;
  readonly bytes: Buffer;
}

/** The lists of RDS_INFO_* of one recording, by their names. */
export function recordedLists(file: "info-tcp.json" | "info-ib.json"): ReadonlyMap<string, RecordedList> {
  const text = readFileSync(join(__dirname, "vectors", file), "utf8");
  const lists = JSON.parse(text) as Readonly<Record<string, { readonly each: number; readonly hex: string }>>;
  return new Map(
    Object.entries(lists).map(([name, { each, hex }]) => [name, { each, bytes: Buffer.from(hex, "hex") }]),
  );
}
