/** Exit statuses of every command. */
export const EXIT = {
  OK: 0,
  /** Not resolved, or the command failed while running. */
  FAILED: 1,
  /** Wrong usage or configuration. */
  USAGE: 2,
  /** No daemon (or no simulated fabric) where one was expected. */
  NO_DAEMON: 3,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
