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

/** Collects remarks, so that all problems of all files are reported at once. */
export class DiagnosticSink {
  readonly #all: Diagnostic[] = [];

  add(diagnostic: Diagnostic): void {
    this.#all.push(diagnostic);
  }

  get all(): readonly Diagnostic[] {
    return this.#all;
  }

  get errors(): readonly Diagnostic[] {
    return this.#all.filter(({ severity }) => severity === "error");
  }
}
