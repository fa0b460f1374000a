import { ComponentMask, type ComponentTable, Selector } from "@verbena/ib";

/** True if every field that the mask selects has the wanted value. Fields of `table` that the record lacks never match. */
export function matchesFields<F extends string>(
  table: ComponentTable<F>,
  mask: bigint,
  wanted: Readonly<Partial<Record<NoInfer<F>, unknown>>>,
  actual: Readonly<Partial<Record<NoInfer<F>, unknown>>>,
): boolean {
  return ComponentMask.fields(table, mask).every((field) => wanted[field] === actual[field]);
}

/** True if a value fits a selector, as queries for multicast groups mean it; `compare` orders codes. */
export function fitsSelector(
  selector: Selector,
  wanted: number,
  actual: number,
  compare: (a: number, b: number) => number = (a, b) => a - b,
): boolean {
  const order = compare(actual, wanted);
  switch (selector) {
    case Selector.GREATER:
      return order > 0;
    case Selector.LESS:
      return order < 0;
    case Selector.EXACTLY:
      return order === 0;
    case Selector.BEST:
      return true;
  }
}
