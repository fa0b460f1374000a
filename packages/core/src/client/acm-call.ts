/** How long to wait for one call, and how to give up. */
export interface AcmCallOptions {
  readonly signal?: AbortSignal;
  /** From now, milliseconds; default 30,000. The real ibacm takes 9 s and more over an address that nobody answers for. */
  readonly deadlineMs?: number;
}

/** Default of {@link AcmCallOptions.deadlineMs}. */
export const DEFAULT_DEADLINE_MS = 30_000;
