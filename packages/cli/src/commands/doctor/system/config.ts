import { type ConfigSources, type DaemonConfig, inspectConfig } from "@verbena/core";
import type { ConfigSeen, FileSeen } from "../probe.js";
import { HostFiles } from "./files.js";
import type { DaemonPlace } from "./look-message.js";

/** The configuration as a daemon with the same options would read it. */
export interface ConfigLook {
  readonly seen: ConfigSeen;
  /** Absent when the files have errors. */
  readonly place?: DaemonPlace;
  readonly native: DaemonConfig["native"];
}

/** Reads all files of the configuration. */
export async function lookAtConfig(sources: ConfigSources): Promise<ConfigLook> {
  const { config, diagnostics, files } = await inspectConfig(sources);
  const { hosts, routeDump } = config?.preload ?? {};
  const [hostsFile, dumpFile] = await Promise.all([fileSeen(hosts), fileSeen(routeDump)]);
  const seen: ConfigSeen = {
    ...(files.config === undefined ? {} : { yaml: files.config.path }),
    ...(files.options === undefined ? {} : { options: there(files.options) }),
    ...(files.addresses === undefined ? {} : { addresses: there(files.addresses) }),
    ...(hostsFile === undefined ? {} : { hosts: hostsFile }),
    ...(dumpFile === undefined ? {} : { routeDump: dumpFile }),
    diagnostics,
    names: (config?.addresses.lines ?? []).map(({ text, device, port, pkey, line }) => ({
      text,
      device,
      port,
      pkey,
      where: `line ${String(line)} of ${config?.addresses.file ?? files.config?.path ?? "the configuration"}`,
    })),
  };
  return { seen, native: config?.native ?? {}, ...(config === undefined ? {} : { place: placeOf(config) }) };
}

function placeOf({ daemon }: DaemonConfig): DaemonPlace {
  const { socket, control, runDirectory, serverMode, serverPort } = daemon;
  return {
    runDirectory,
    serverMode,
    serverPort,
    ...(socket === undefined ? {} : { socket }),
    ...(control === undefined ? {} : { control }),
  };
}

function there({ path, isFound }: { readonly path: string; readonly isFound: boolean }): FileSeen {
  return { path, isThere: isFound };
}

async function fileSeen(path: string | undefined): Promise<FileSeen | undefined> {
  return path === undefined ? undefined : { path, isThere: await new HostFiles().isThere(path) };
}
