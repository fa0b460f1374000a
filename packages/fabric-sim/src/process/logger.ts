/** What the fabric logs to; a pino logger fits. */
export interface SimLogger {
  /** Normal life of the fabric. */
  info(facts: object, message: string): void;
  /** Something refused or lost. */
  warn(facts: object, message: string): void;
}

/** Logs nothing. */
export const SILENT_LOGGER: SimLogger = {
  info: () => undefined,
  warn: () => undefined,
};
