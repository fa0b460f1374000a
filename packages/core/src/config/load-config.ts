import { coreError } from "../errors.js";
import type { DaemonConfig } from "./daemon-config.js";
import { type ConfigReading, type ConfigSources, inspectConfig } from "./inspect-config.js";
import { type Diagnostic, formatDiagnostic } from "./text/diagnostic.js";

/** A configuration that can be used. */
export interface LoadedConfig {
  readonly config: DaemonConfig;
  /** Warnings and notes, in reading order. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads all files and makes one configuration of them. All problems of all files are collected first.
 * Rejects with VERBENA_OPTION_UNKNOWN, VERBENA_CONFIG_INVALID and the signal's reason; `details.diagnostics` holds every {@link Diagnostic},
 * the message lists the errors.
 */
export async function loadConfig(sources: ConfigSources = {}, reading: ConfigReading = {}): Promise<LoadedConfig> {
  const { config, diagnostics } = await inspectConfig(sources, reading);
  if (config === undefined) throw invalidConfig(diagnostics);
  return { config, diagnostics };
}

/** VERBENA_CONFIG_INVALID with all problems: errors first; whoever corrects them wants to see the warnings in the same round. */
export function invalidConfig(diagnostics: readonly Diagnostic[]): Error {
  const of = (wanted: Diagnostic["severity"]): readonly Diagnostic[] =>
    diagnostics.filter(({ severity }) => severity === wanted);
  const problems = [...of("error"), ...of("warning")].map(describe).join("\n");
  return coreError("VERBENA_CONFIG_INVALID", { details: { problems, diagnostics } });
}

function describe(diagnostic: Diagnostic): string {
  const { severity, message } = diagnostic;
  return formatDiagnostic(severity === "warning" ? { ...diagnostic, message: `warning: ${message}` } : diagnostic);
}
