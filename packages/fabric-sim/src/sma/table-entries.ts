/** A table without the free entries at its end. */
export function trimmed<T>(table: readonly T[], free: T): readonly T[] {
  const last = table.findLastIndex((one) => one !== free);
  return table.slice(0, last + 1);
}

/** A table with another entry at `index`; what lies between is free. */
export function replaceEntry<T>(table: readonly T[], index: number, entry: T, free: T): readonly T[] {
  const copy = [...table];
  while (copy.length <= index) copy.push(free);
  copy[index] = entry;
  return trimmed(copy, free);
}
