import { type ErrorDetails, VerbenaError } from "./verbena-error.js";

/** One row of a package's error table. */
export interface ErrorSpec {
  /** Message; `{name}` is replaced by the member `name` of the failure's details. */
  readonly message: string;
  /** Default hint, same placeholders. */
  readonly hint?: string;
}

/** A package's error table: code to text. Written once per package, in `src/errors.ts`, as a constant. */
export type ErrorTable = Readonly<Record<`VERBENA_${string}`, ErrorSpec>>;

/** What a single failure adds to its row of the table. */
export interface ErrorContext {
  /** Values for the placeholders; kept on the error as `details`. */
  readonly details?: ErrorDetails;
  /** Replaces the table's message. */
  readonly message?: string;
  /** Replaces the table's hint. */
  readonly hint?: string;
  readonly cause?: unknown;
  readonly errno?: number | undefined;
  readonly syscall?: string | undefined;
}

/** Makes errors of one table; made by {@link defineErrors}. */
export type ErrorFactory<T extends ErrorTable> = (code: keyof T & string, context?: ErrorContext) => VerbenaError;

/**
 * Turns a table into a factory: `const fail = defineErrors(IB_ERRORS); throw fail("VERBENA_IB_VALUE", { details: { … } })`.
 * A code that is not in the table does not compile. A placeholder without a value stays visible as `{name}`.
 */
export function defineErrors<const T extends ErrorTable>(table: T): ErrorFactory<T> {
  return (code, context = {}) => {
    const spec: ErrorSpec | undefined = (table as Readonly<Record<string, ErrorSpec>>)[code];
    const details = context.details ?? {};
    const hint = context.hint ?? spec?.hint;
    return new VerbenaError(code, fill(context.message ?? spec?.message ?? code, details), {
      hint: hint === undefined ? undefined : fill(hint, details),
      cause: context.cause,
      details,
      errno: context.errno,
      syscall: context.syscall,
    });
  };
}

function fill(template: string, details: ErrorDetails): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => (name in details ? String(details[name]) : whole));
}
