import { isAbsolute, resolve } from "node:path";
import { PKey } from "@verbena/ib";
import type { AddressLine } from "../addresses/address-list.js";
import type { OptionValues } from "../options/option-table.js";
import { optionsToInput } from "../options/to-input.js";
import { acmOptions, BUILT_IN_PACKAGES, defaultRoute } from "../providers.js";
import type { ConfigInput } from "../schema.js";

/** Options whose meaning in `verbena.yaml` is an entry of `providers`. */
const OF_PROVIDER_ACM = ["resolve_depth", "send_depth", "recv_depth", "min_mtu", "min_rate"] as const;

/** What is to be said in `verbena.yaml`; only what the files say. `names`: lines of an address file that is there. */
export function convertedInput(
  values: OptionValues,
  names: readonly AddressLine[] | undefined,
  addressFile: string | undefined,
  folder: string,
): ConfigInput {
  const { daemon, files, addresses, ...rest } = optionsToInput(values);
  return {
    ...(daemon === undefined ? {} : { daemon: anchored(daemon, folder) }),
    ...rest,
    ...providers(values),
    files: {
      ...anchored(files ?? {}, folder),
      ...(names === undefined && addressFile !== undefined ? { addresses: anchor(addressFile, folder) } : {}),
    },
    addresses: { ...addresses, ...(names === undefined || names.length === 0 ? {} : { names: names.map(nameEntry) }) },
  };
}

/** Without these options the default chains say it all. */
function providers(values: OptionValues): Pick<ConfigInput, "chains" | "providers"> {
  const isDefault = values.route_prot !== "acm" && OF_PROVIDER_ACM.every((key) => values[key] === undefined);
  if (isDefault) return {};
  const { acm = "", sa = "" } = BUILT_IN_PACKAGES;
  return {
    chains: { address: ["acm", "sa"], route: [...defaultRoute(values)] },
    providers: [{ package: acm, optional: true, options: acmOptions(values) }, { package: sa }],
  };
}

function nameEntry({ text: name, device, port, pkey }: AddressLine) {
  return { name, device, port, pkey: pkey === "default" ? pkey : PKey.from(pkey) };
}

/** ibacm's paths count from the working directory, those of `verbena.yaml` from its folder. */
function anchored<T extends object>(section: T, folder: string): T {
  const paths = ["logFile", "lockFile", "hosts", "routeDump"];
  return Object.fromEntries(
    Object.entries(section).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === "string" && paths.includes(key) ? anchor(value, folder) : value,
    ]),
  ) as T;
}

function anchor(path: string, folder: string): string {
  return isAbsolute(path) || ["stdout", "stderr"].includes(path.toLowerCase()) ? path : resolve(folder, path);
}
