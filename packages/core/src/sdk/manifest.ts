import type { StandardSchema } from "./standard-schema.js";

/** Version of this contract. A provider names the range of versions it works with. */
export const SDK_VERSION = "1.3.0";

/** What a provider can be: `address` and `route` answer questions, `transport` carries datagrams. */
export type ProviderRole = "address" | "route" | "transport";

/** Says who a provider is, before any of its code runs. */
export interface ProviderManifest {
  /** Name used in chains, logs, provenance and counters: lower case letters, digits, `-`, `_`, `.`; at most 63 characters. */
  readonly name: string;
  /** Its own version (semver). */
  readonly version: string;
  /** Range of SDK versions it works with (semver range, for example `^1.0`). Checked against {@link SDK_VERSION}. */
  readonly sdk: string;
  /** At least one. */
  readonly roles: readonly ProviderRole[];
  /** Free labels the conformance kit and `provider` commands read, for example `ipv6`, `prefetch`. */
  readonly capabilities?: readonly string[];
  /** Validates the provider's section of the configuration. Without it any options but an empty object are refused. */
  readonly options?: StandardSchema;
}
