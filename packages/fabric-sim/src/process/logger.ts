/** What the fabric logs to; a pino logger fits. */
export interface SimLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Logs nothing. */
export const SILENT_LOGGER: SimLogger = {
  info: () => undefined,
  warn: () => undefined,
};
