const UNITS = [
  ["s", 1_000, 60],
  ["min", 60_000, 60],
  ["h", 3_600_000, Number.POSITIVE_INFINITY],
] as const;

/** How long ago: `3.4 s`, `12 min`, `26 h`. Milliseconds below a second. */
export function formatAge(ms: number): string {
  if (ms < 1_000) return `${ms.toFixed(0)} ms`;
  for (const [unit, sizeMs, limit] of UNITS) {
    const count = ms / sizeMs;
    if (count < limit) return `${unit === "s" ? count.toFixed(1) : count.toFixed(0)} ${unit}`;
  }
  return "-";
}
