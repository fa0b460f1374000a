/**
 * The Standard Schema v1 interface (https://standardschema.dev), the part a host needs: valibot, zod and arktype implement it, so a
 * provider brings the validator it likes.
 */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Checks and converts a value. The host waits for a promise. */
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/** Outcome of a validation: a value, or a list of issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing wrong with a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
