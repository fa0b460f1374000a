import type { VerbenaError } from "@verbena/ib";
import { coreError } from "../errors.js";
import type { ProviderManifest } from "../sdk/manifest.js";
import type { StandardIssue } from "../sdk/standard-schema.js";

/** Runs the manifest's schema over the configured options. Without a schema only absent or empty options are accepted. */
export async function validateOptions(manifest: ProviderManifest, given: unknown, where: string): Promise<unknown> {
  const input = given ?? {};
  if (manifest.options === undefined) {
    if (typeof input === "object" && Object.keys(input).length === 0) return input;
    throw optionsError(manifest.name, where, "it takes no options");
  }
  const result = await manifest.options["~standard"].validate(input);
  if (result.issues !== undefined) throw optionsError(manifest.name, where, result.issues.map(describe).join("; "));
  return result.value;
}

function describe(issue: StandardIssue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}

function optionsError(name: string, where: string, what: string): VerbenaError {
  return coreError("VERBENA_PROVIDER_OPTIONS", { details: { name, where, what } });
}
