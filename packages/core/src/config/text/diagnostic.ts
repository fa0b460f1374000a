/** `error` stops the daemon (exit 2), `warning` and `note` are logged and the configuration is used. */
export type Severity = "error" | "warning" | "note";

/** One thing to say about a configuration file. */
export interface Diagnostic {
  readonly severity: Severity;
  readonly file: string;
  /** From 1; absent when the remark is about the file as a whole. */
  readonly line?: number;
  /** Option or dotted key path it is about. */
  readonly key?: string;
  readonly message: string;
  /** What to write instead. */
  readonly hint?: string;
}

/** `file:line: message (hint)`. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, message, hint } = diagnostic;
  return `${file}${line === undefined ? "" : `:${String(line)}`}: ${message}${hint === undefined ? "" : ` (${hint})`}`;
}

/** Remarks of one severity about one file that are kept; of the rest only the number. A file can have a million wrong lines. */
export const REMARKS_KEPT = 100;

/** Collects remarks, so that all problems of all files are reported at once. */
export class DiagnosticSink {
  readonly #kept: Diagnostic[] = [];
  readonly #counts = new Map<string, { readonly severity: Severity; readonly file: string; count: number }>();

  /** A remark given as a function is made only if it is kept. */
  add(
    { severity, file }: Pick<Diagnostic, "severity" | "file">,
    rest: () => Omit<Diagnostic, "severity" | "file">,
  ): void;
  add(diagnostic: Diagnostic): void;
  add(given: Diagnostic, rest?: () => Omit<Diagnostic, "severity" | "file">): void {
    const { severity, file } = given;
    const key = `${severity} ${file}`;
    const seen = this.#counts.get(key);
    if (seen === undefined) this.#counts.set(key, { severity, file, count: 1 });
    else seen.count += 1;
    if ((seen?.count ?? 1) <= REMARKS_KEPT) this.#kept.push(rest === undefined ? given : { severity, file, ...rest() });
  }

  /** What is kept, and one remark for each file and severity of which more came. */
  get all(): readonly Diagnostic[] {
    const left = [...this.#counts.values()].filter(({ count }) => count > REMARKS_KEPT);
    return [
      ...this.#kept,
      ...left.map(({ severity, file, count }) => ({
        severity,
        file,
        message: `and ${String(count - REMARKS_KEPT)} more of this kind`,
      })),
    ];
  }

  get errors(): readonly Diagnostic[] {
    return this.all.filter(({ severity }) => severity === "error");
  }
}
