/** Waits for the first of some signals; from then on they have their usual effect again, so a second one ends the process. */
export function untilSignal(signals: readonly NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const settle = (signal: NodeJS.Signals): void => {
      for (const name of signals) process.off(name, settle);
      resolve(signal);
    };
    for (const name of signals) process.on(name, settle);
  });
}

/** Calls `react` at every arrival of a signal; the returned function ends that. */
export function onEachSignal(signal: NodeJS.Signals, react: () => void): () => void {
  process.on(signal, react);
  return () => {
    process.off(signal, react);
  };
}
