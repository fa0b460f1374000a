import { dirname } from "node:path";
import type { OptionNames } from "@verbena/ib";
import { checkOptions } from "../check-options.js";
import type { ProviderRequest } from "../host/provider-registry.js";
import type { ProviderDefinition } from "../sdk/define-provider.js";

/** A provider for an embedded resolver or a stack of sockets: a package name or path, or what `defineProvider` returned. */
export type ProviderOption =
  | string
  | ProviderDefinition
  | { readonly package: string; readonly options?: unknown }
  | { readonly definition: ProviderDefinition; readonly options?: unknown };

const PROVIDER_OPTION: OptionNames<Extract<ProviderOption, { readonly options?: unknown }>> = {
  package: true,
  definition: true,
  options: true,
};

/** What the registry makes of it; `index` is its place in the list, for messages. */
export function providerRequest(option: ProviderOption, index: number): ProviderRequest {
  const where = `providers[${String(index)}]`;
  if (typeof option === "string") return { from: { package: option }, where };
  if ("package" in option || "definition" in option) checkOptions(where, option, PROVIDER_OPTION);
  if ("package" in option) return { from: { package: option.package }, options: option.options, where };
  if ("definition" in option) return { from: { definition: option.definition }, options: option.options, where };
  return { from: { definition: option }, where };
}

/** Where a program's own packages are looked for. */
export function programFolders(): readonly string[] {
  const program = process.argv[1];
  return program === undefined ? [] : [dirname(program)];
}
