import type { VerbenaError } from "@verbena/ib";
import satisfies from "semver/functions/satisfies.js";
import validVersion from "semver/functions/valid.js";
import isNewer from "semver/ranges/gtr.js";
import validRange from "semver/ranges/valid.js";
import { coreError } from "../errors.js";
import { PROVIDER_BRAND, type ProviderDefinition } from "../sdk/define-provider.js";
import { type ProviderManifest, SDK_VERSION } from "../sdk/manifest.js";

const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const ROLES: ReadonlySet<string> = new Set(["address", "route", "transport"]);

/** Takes what a module exports by default and makes sure it is a definition whose manifest can be trusted. */
export function checkDefinition(exported: unknown, origin: string): ProviderDefinition {
  if (!isDefinition(exported)) {
    throw coreError("VERBENA_PROVIDER_NOT_A_PROVIDER", { details: { origin } });
  }
  checkManifest(exported.manifest, origin);
  if (typeof exported.provider !== "function") {
    throw manifestError(origin, "`provider` must be a class or a factory function");
  }
  return exported;
}

function isDefinition(value: unknown): value is ProviderDefinition {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[PROVIDER_BRAND] === true;
}

function checkManifest(manifest: ProviderManifest, origin: string): void {
  const given = manifest as Partial<Record<keyof ProviderManifest, unknown>> | undefined;
  if (typeof given !== "object") throw manifestError(origin, "there is no manifest");
  const { name, version, sdk, roles, options } = given;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw manifestError(
      origin,
      `name ${JSON.stringify(name)} is not 1 to 63 lower case letters, digits, ".", "_" or "-"`,
    );
  }
  if (typeof version !== "string" || validVersion(version) === null) {
    throw manifestError(origin, `version ${JSON.stringify(version)} of provider "${name}" is not a semantic version`);
  }
  if (typeof sdk !== "string" || validRange(sdk) === null) {
    throw manifestError(origin, `sdk ${JSON.stringify(sdk)} of provider "${name}" is not a version range`);
  }
  if (
    !Array.isArray(roles) ||
    roles.length === 0 ||
    !roles.every((role) => typeof role === "string" && ROLES.has(role))
  ) {
    throw manifestError(
      origin,
      `roles ${JSON.stringify(roles)} of provider "${name}" must name address, route or transport`,
    );
  }
  if (options !== undefined && typeof (options as Record<string, unknown>)["~standard"] !== "object") {
    throw manifestError(origin, `options of provider "${name}" is not a Standard Schema validator`);
  }
  if (!satisfies(SDK_VERSION, sdk)) {
    throw coreError("VERBENA_PROVIDER_SDK_RANGE", {
      details: { name, version, origin, wanted: sdk, offered: SDK_VERSION },
      hint: isNewer(SDK_VERSION, sdk)
        ? `install a newer ${name}, or an older Verbena`
        : `install a newer Verbena, or an older ${name}`,
    });
  }
}

function manifestError(origin: string, what: string): VerbenaError {
  return coreError("VERBENA_PROVIDER_MANIFEST", { details: { origin, what } });
}
