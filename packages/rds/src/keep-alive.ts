/** Above what a timer takes, it would run at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Keeps the process alive, which the clock's timers do not, until the function it gives is called. */
export function keepAlive(): () => void {
  const timer = setInterval(() => undefined, LONGEST_MS);
  return () => {
    clearInterval(timer);
  };
}
