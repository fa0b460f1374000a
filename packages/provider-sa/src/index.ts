/**
 * Provider `sa`: host names and paths from the InfiniBand subnet administrator, without multicast; on request also a registry of names and
 * IP addresses.
 *
 * @packageDocumentation
 */
import { defineProvider } from "@verbena/core/sdk";
import { optionsSchema } from "./options.js";
import { SaProvider } from "./sa-provider.js";

export type { SaProviderOptions } from "./options.js";
export { optionsSchema } from "./options.js";

/** The definition the core loads by package name. */
export default defineProvider({
  manifest: {
    name: "sa",
    version: "0.1.0",
    sdk: "^1.0",
    roles: ["address", "route"],
    capabilities: ["names", "gid", "lid", "multiple-paths", "prefetch", "registry"],
    options: optionsSchema,
  },
  provider: SaProvider,
});
