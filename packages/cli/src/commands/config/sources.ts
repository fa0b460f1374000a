import { resolve } from "node:path";
import type { ConfigSources } from "@verbena/core";

/** Which files are meant, as for `serve`. */
export interface ConfigOptions {
  readonly config?: string;
  readonly options?: string;
  readonly addresses?: string;
  readonly json?: boolean;
}

/** The same sources that a daemon with these options reads. */
export function configSources({ config, options, addresses }: ConfigOptions): ConfigSources {
  return {
    ...(config === undefined ? {} : { config: resolve(config) }),
    ...(options === undefined ? {} : { options: resolve(options) }),
    ...(addresses === undefined ? {} : { addresses: resolve(addresses) }),
  };
}
