/**
 * How many queries may be on their way to the SA at once. A seam: a window that adapts to BUSY and time-outs takes the place of the
 * fixed one without the client noticing.
 */
export interface SaWindow {
  /** Whole number, at least 1; read before each send. */
  readonly limit: number;
  /** A query was answered. */
  onAnswer(): void;
  /** The SA said BUSY, or a try went unanswered. */
  onCongestion(kind: "busy" | "timeout"): void;
}

/** A window that never changes: ibacm's `sa_depth`. */
export function fixedWindow(limit: number): SaWindow {
  return { limit: Math.max(1, Math.floor(limit)), onAnswer: () => undefined, onCongestion: () => undefined };
}
