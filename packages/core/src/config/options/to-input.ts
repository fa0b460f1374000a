import type { ConfigInput } from "../schema.js";
import { OPTION_TABLE, type OptionValues } from "./option-table.js";

const MINUTE_MS = 60_000;

function minutes(value: number | undefined): number | "never" | undefined {
  if (value === undefined) return undefined;
  return value < 0 ? "never" : value * MINUTE_MS;
}

/** What the keys of `ibacm_opts.cfg` mean in terms of `verbena.yaml`; keys that are not in the file stay absent. */
export function optionsToInput(values: OptionValues): ConfigInput {
  const { addr_preload: hosts, route_preload: dump } = values;
  return withoutUndefined({
    daemon: {
      logFile: values.log_file,
      logLevel: values.log_level,
      umadDebugLevel: values.umad_debug_level,
      lockFile: values.lock_file,
      serverPort: values.server_port,
      serverMode: values.server_mode,
      acmePlusKernelOnly: values.acme_plus_kernel_only,
    },
    sa: { timeoutMs: values.timeout, retries: values.retries, depth: values.sa_depth },
    resolver: { loopback: values.loopback_prot },
    caches: { address: { ttlMs: minutes(values.addr_timeout) }, route: { ttlMs: minutes(values.route_timeout) } },
    files: {
      hosts: hosts === "acm_hosts" ? (values.addr_data_file ?? OPTION_TABLE.addr_data_file.fallback) : undefined,
      routeDump:
        dump === "opensm_full_v1" ? (values.route_data_file ?? OPTION_TABLE.route_data_file.fallback) : undefined,
    },
    addresses: { supportIps: values.support_ips_in_addr_cfg },
  });
}

/** Drops members that are `undefined`, in sections too. */
function withoutUndefined(input: Readonly<Record<string, unknown>>): ConfigInput {
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [
        key,
        typeof value === "object" ? withoutUndefined(value as Readonly<Record<string, unknown>>) : value,
      ]),
  );
}
