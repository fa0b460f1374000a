import type { OptionNames } from "@verbena/ib";
import type { NativeServices } from "@verbena/native";
import { checkOptions } from "../check-options.js";
import { loadConfig } from "../config/load-config.js";
import { builtInName } from "../config/providers.js";
import type { ConfigInput } from "../config/schema.js";
import { composeHost } from "../host/composition.js";
import type { ProviderPlace } from "../host/load-module.js";
import { ProviderRegistry, type ProviderRequest } from "../host/provider-registry.js";
import type { Clock, Logger, Metrics, Random } from "../sdk/services.js";
import type { DatagramTransport } from "../sdk/transport.js";
import { type ProviderOption, programFolders, providerRequest } from "./provider-option.js";

/** Where transports of RDS sockets come from. */
export interface TransportSetOptions {
  /** Path of a `verbena.yaml`, or its content as an object: its `providers` that have the role, then its `rds`. */
  readonly config?: string | ConfigInput;
  /** Further providers, asked behind those of the configuration. */
  readonly providers?: readonly ProviderOption[];
  /** Where provider packages are looked for, behind the configuration's folder. Default: the program's own folder. */
  readonly folders?: readonly ProviderPlace[];
}

/** Transports at work. Close the sockets on them first. */
export interface TransportSet extends AsyncDisposable {
  /** In the order in which they are asked who serves an address. */
  readonly transports: readonly DatagramTransport[];
  /** Closes the providers in reverse order. Idempotent. */
  close(): Promise<void>;
}

const OPTIONS: OptionNames<TransportSetOptions> = { config: true, providers: true, folders: true };

/** The package with the transports that come along. */
const RDS_PACKAGE = "@verbena/rds";

/** Services that the providers get. */
interface TransportServices {
  readonly native: NativeServices;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Loads the transports of a configuration. Rejects with VERBENA_CONFIG_INVALID or VERBENA_PROVIDER_…; nothing is left at work then. */
export async function openTransportSet(
  services: TransportServices,
  options: TransportSetOptions = {},
): Promise<TransportSet> {
  checkOptions("openTransports", options, OPTIONS);
  const { config } = await loadConfig({
    ignoreDefaults: true,
    ...(typeof options.config === "string" ? { config: options.config } : {}),
    ...(typeof options.config === "object" ? { overrides: options.config } : {}),
    origin: "options of openTransports",
  });
  // Providers that only follow from the chains carry no datagrams, and need not be installed.
  const listed = config.providers
    .filter((entry) => builtInName(entry) === undefined)
    .map(
      ({ package: name, options: given, where }): ProviderRequest => ({
        from: { package: name },
        options: given,
        where,
      }),
    );
  const { transports, options: further } = config.rds;
  const own: ProviderRequest = {
    from: { package: RDS_PACKAGE },
    options: { ...further, ...(transports === undefined ? {} : { transports }) },
    where: "rds",
  };
  const isListed = config.providers.some(({ package: specifier }) => specifier === RDS_PACKAGE);
  const requests = [...listed, ...(isListed ? [] : [own]), ...(options.providers ?? []).map(providerRequest)];
  const folders = [config.folder, ...(options.folders ?? programFolders())];
  const registry = await ProviderRegistry.load(composeHost(services), requests, folders, "transport");
  const close = (): Promise<void> => registry.close();
  return { transports: registry.transports(), close, [Symbol.asyncDispose]: close };
}
