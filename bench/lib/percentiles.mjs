/** The value below which the share `part` of a list of numbers lies; 0 of none. */
export function percentile(list, part) {
  const sorted = Float64Array.from(list).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** The middle one of a list of numbers, the upper of two. */
export const median = (list) => percentile(list, 0.5);
