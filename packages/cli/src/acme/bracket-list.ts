import { atoi } from "./atoi.js";

/**
 * Expands `base[1-3,5,07-09]` as `ib_acme` does: in order, each number as wide as the first bound is written. What stands behind `]`
 * is dropped, a missing `]` is no fault, and ranges that count down give nothing; if that leaves nothing at all, one empty entry.
 */
export function expandList(text: string): readonly string[] {
  const bracket = text.indexOf("[");
  if (bracket < 0) return [text];
  const base = text.slice(0, bracket);
  const [inner = ""] = text.slice(bracket + 1).split("]", 1);
  const ranges = inner.split(",").filter((range) => range !== "");
  if (ranges.length === 0) return [base];
  const entries = ranges.flatMap((range) => expandRange(base, range));
  return entries.length === 0 ? [""] : entries;
}

function expandRange(base: string, range: string): readonly string[] {
  const dash = range.indexOf("-");
  const width = dash < 0 ? range.length : dash;
  const first = atoi(range);
  const last = dash < 0 ? first : atoi(range.slice(dash + 1));
  const entries: string[] = [];
  for (let n = first; n <= last; n++) entries.push(base + padded(n, width));
  return entries;
}

/** `%0*d` */
function padded(n: number, width: number): string {
  return n < 0 ? `-${String(-n).padStart(width - 1, "0")}` : String(n).padStart(width, "0");
}
