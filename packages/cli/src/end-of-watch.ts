/** What ends a command that goes on by itself. */
export interface EndOfWatch extends Disposable {
  readonly signal: AbortSignal;
  /** Ends it now. */
  readonly now: () => void;
  /** Ends it after a time. */
  readonly after: (delayMs: number) => void;
}

/** SIGINT, SIGTERM, the end of a time and whatever else the command takes for its end, as one signal. */
export function endOfWatch(): EndOfWatch {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    controller.abort();
  };
  process.on("SIGINT", end).on("SIGTERM", end);
  return {
    signal: controller.signal,
    now: end,
    after: (delayMs) => {
      timer = setTimeout(end, delayMs);
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      process.off("SIGINT", end).off("SIGTERM", end);
    },
  };
}
