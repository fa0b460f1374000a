/** Lays plain objects over each other: later ones win, sections are merged, lists and values replaced. `undefined` changes nothing. */
export function mergeInputs<T extends object>(...inputs: readonly T[]): T {
  const merged: Record<string, unknown> = {};
  for (const input of inputs) {
    for (const [key, value] of Object.entries(input) as [string, unknown][]) {
      if (value === undefined) continue;
      const before = merged[key];
      merged[key] = isSection(before) && isSection(value) ? mergeInputs(before, value) : value;
    }
  }
  return merged as T;
}

/** A section of keys, not a list or a value. */
export function isSection(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
