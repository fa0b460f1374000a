import { type Diagnostic, formatDiagnostic, inspectConfig } from "@verbena/core";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { type ConfigOptions, configSources } from "./sources.js";

/** Prints everything the readers say. Status 2 if a daemon would not start with these files. */
export async function checkConfig(options: ConfigOptions, io: Io): Promise<ExitCode> {
  const { config, diagnostics, files } = await inspectConfig(configSources(options));
  const isValid = config !== undefined;
  if (options.json === true) {
    io.out(`${JSON.stringify({ valid: isValid, files, diagnostics })}\n`);
  } else {
    const count = (wanted: Diagnostic["severity"]): number =>
      diagnostics.filter(({ severity }) => severity === wanted).length;
    for (const diagnostic of diagnostics) io.out(`${diagnosticLine(diagnostic)}\n`);
    io.out(
      `${isValid ? "usable" : "not usable"}: ${String(count("error"))} errors, ${String(count("warning"))} warnings\n`,
    );
  }
  return isValid ? EXIT.OK : EXIT.USAGE;
}

/** `file:line: severity: message (hint)`, as compilers say it. */
export function diagnosticLine(diagnostic: Diagnostic): string {
  const { severity, message } = diagnostic;
  return formatDiagnostic({ ...diagnostic, message: `${severity}: ${message}` });
}
