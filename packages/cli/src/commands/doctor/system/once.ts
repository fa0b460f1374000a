/** A look that is made at its first call; later calls get the same answer. */
export interface Once<T> {
  (): Promise<T>;
  readonly isMade: boolean;
}

/** Makes a {@link Once} of a look. */
export function once<T>(look: () => Promise<T>): Once<T> {
  let made: Promise<T> | undefined;
  const ask = (): Promise<T> => (made ??= look());
  return Object.defineProperty(ask, "isMade", { get: () => made !== undefined }) as Once<T>;
}
