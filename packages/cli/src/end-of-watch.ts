/** SIGINT, SIGTERM and the end of a time, as one signal. */
export function endOfWatch(): Disposable & { readonly signal: AbortSignal; readonly after: (delayMs: number) => void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    controller.abort();
  };
  process.on("SIGINT", end).on("SIGTERM", end);
  return {
    signal: controller.signal,
    after: (delayMs) => {
      timer = setTimeout(end, delayMs);
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      process.off("SIGINT", end).off("SIGTERM", end);
    },
  };
}
