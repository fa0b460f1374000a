/** Brand of every coded error. Registered globally, so that two loaded copies of this package recognise each other's errors. */
const BRAND = Symbol.for("verbena.error");

/** Facts that belong to one failure: names and values that a log line or a test may want to read. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** What a {@link VerbenaError} is made of beside its message. */
export interface VerbenaErrorOptions {
  /** What the reader can do next, one sentence. */
  readonly hint?: string | undefined;
  /** The failure underneath. */
  readonly cause?: unknown;
  /** Facts of this failure, for programs. */
  readonly details?: ErrorDetails | undefined;
  /** Native failures: the real `errno` value, positive, as the system call left it. */
  readonly errno?: number | undefined;
  /** Native failures: the system or library call that failed. */
  readonly syscall?: string | undefined;
}

/**
 * Base of all errors this project throws or rejects with. `code` is stable and documented; the message is for people and may change.
 * Recognise it with {@link VerbenaError.is}, not with `instanceof`: two copies of the package may be loaded.
 */
export class VerbenaError extends Error {
  /** Stable code `VERBENA_<AREA>_<WHAT>`, one section each in `docs/errors.md`. */
  readonly code: string;
  /** What to do next, where there is something to do. */
  declare readonly hint?: string;
  /** Facts of this failure, for programs. */
  readonly details: ErrorDetails;
  /** Native failures only: the real errno, positive. */
  declare readonly errno?: number;
  /** Native failures only: the call that failed. */
  declare readonly syscall?: string;

  /** Brand; on the prototype, so that it does not show up when an error is printed. */
  declare readonly [BRAND]: true;

  constructor(code: string, message: string, options: VerbenaErrorOptions = {}) {
    super(message, "cause" in options && options.cause !== undefined ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = options.details ?? {};
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.errno !== undefined) this.errno = options.errno;
    if (options.syscall !== undefined) this.syscall = options.syscall;
  }

  static {
    // On the prototype, so that it costs nothing per error and does not show up among the own properties.
    Object.defineProperties(VerbenaError.prototype, {
      name: { value: "VerbenaError", configurable: true, writable: true },
      [BRAND]: { value: true },
    });
  }

  /** True for a coded error of any loaded copy of this package; with `code`, only for that code. */
  static is(value: unknown, code?: string): value is VerbenaError {
    if (typeof value !== "object" || value === null || !(BRAND in value)) return false;
    return code === undefined || (value as VerbenaError).code === code;
  }

  /** Plain object for logs and for the JSON of the control socket; a `cause` appears by its message. */
  toJSON(): Readonly<Record<string, unknown>> {
    const cause = this.cause;
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.errno === undefined ? {} : { errno: this.errno }),
      ...(this.syscall === undefined ? {} : { syscall: this.syscall }),
      ...(cause === undefined ? {} : { cause: textOf(cause) }),
    };
  }
}

function textOf(cause: unknown): string {
  if (cause instanceof Error) return cause.message;
  return typeof cause === "string" ? cause : Object.prototype.toString.call(cause);
}
