/**
 * Provider `acm`: names and addresses asked of the peers themselves by multicast, with the protocol of ibacm's provider `ibacmp`; on request also
 * paths, made of what the multicast groups are like.
 *
 * @packageDocumentation
 */
import { defineProvider } from "@verbena/core/sdk";
import { AcmProvider } from "./acm-provider.js";
import { optionsSchema } from "./options.js";

export type { AcmProviderOptions } from "./options.js";
export { optionsSchema } from "./options.js";

/** The definition the core loads by package name. */
export default defineProvider({
  manifest: {
    name: "acm",
    version: "0.1.0",
    sdk: "^1.3",
    roles: ["address", "route"],
    capabilities: ["names", "ipv4", "ipv6", "multicast"],
    options: optionsSchema,
  },
  provider: AcmProvider,
});
