import type { NativeServices } from "@verbena/native";
import type { SourceSelector } from "../addresses/source-selector.js";
import type { AddressConfig, DaemonConfig } from "../config/daemon-config.js";
import type { Accounts } from "../engine/accounts.js";
import { createEngine, type EngineHandle } from "../engine/engine.js";
import type { Ground } from "../engine/footing.js";
import { composeHost } from "../host/composition.js";
import type { ProviderPlace } from "../host/load-module.js";
import type { ProviderRequest } from "../host/provider-registry.js";
import { PreloadFiles } from "../preload/preload-files.js";
import type { Clock, Logger, Metrics, Random } from "../sdk/services.js";
import { DefaultNames } from "./default-names.js";
import { engineOptions } from "./engine-options.js";
import { loadProviders } from "./load-providers.js";

/** What an engine is made of. */
export interface CompositionOptions {
  readonly config: DaemonConfig;
  readonly native: NativeServices;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random?: Random;
  readonly metrics?: Metrics;
  /** Providers beside those of the configuration. */
  readonly providers?: readonly ProviderRequest[];
  /** Where provider packages are looked for, behind the configuration's folder. */
  readonly folders?: readonly ProviderPlace[];
  readonly sourceSelector: SourceSelector | "kernel" | "fabric";
  /** Where it is counted, beside what other engines have counted there. */
  readonly accounts?: Accounts;
  readonly onLost?: (ground: Ground) => void;
}

/** An engine with its providers. Closing it closes the engine first, then the providers in reverse order. */
export interface ComposedEngine extends AsyncDisposable {
  readonly engine: EngineHandle;
  /** Names of the loaded providers, in order. */
  readonly providers: readonly string[];
  /** Names of the providers asked, in this order. */
  readonly chains: { readonly address: readonly string[]; readonly route: readonly string[] };
  /** Gives the engine other names of its endpoints. */
  readdress(addresses: AddressConfig): Promise<void>;
  close(): Promise<void>;
}

/** Loads the providers and starts an engine. Whatever fails, nothing half-started stays. */
export async function composeEngine(options: CompositionOptions): Promise<ComposedEngine> {
  const { config, native, logger, clock, sourceSelector } = options;
  const services = {
    ...(options.random === undefined ? {} : { random: options.random }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  };
  const host = composeHost({ native, logger, clock, ...services });
  const folders = [config.folder, ...(options.folders ?? [])];
  const { registry, chains } = await loadProviders(config, options.providers ?? [], folders, host, logger);
  const ending = new AbortController();
  const names = new DefaultNames(native, logger);
  try {
    const engine = await createEngine({
      ...engineOptions(config),
      ...services,
      native,
      logger,
      clock,
      sourceSelector,
      chains,
      ...(options.accounts === undefined ? {} : { accounts: options.accounts }),
      ...(options.onLost === undefined ? {} : { onLost: options.onLost }),
      providers: registry.resolution(),
      addressFile: await names.read(config.addresses),
      preload: new PreloadFiles({ ...config.preload, logger, signal: ending.signal }),
    });
    names.follow(engine, config.addresses);
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      ending.abort();
      names.close();
      closing ??= engine.close().then(() => registry.close());
      return closing;
    };
    return {
      engine,
      providers: registry.loaded.map(({ manifest }) => manifest.name),
      chains,
      readdress: async (addresses) => {
        engine.setAddressFile(await names.read(addresses));
        names.follow(engine, addresses);
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    ending.abort();
    await registry.close();
    throw error;
  }
}
