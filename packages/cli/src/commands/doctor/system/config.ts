import { type ConfigSources, type DaemonConfig, type Diagnostic, inspectConfig, openRegular } from "@verbena/core";
import { VerbenaError } from "@verbena/ib";
import type { ConfigSeen, FileSeen } from "../probe.js";
import type { DaemonPlace } from "./look-message.js";

/** The configuration as a daemon with the same options would read it. */
export interface ConfigLook {
  readonly seen: ConfigSeen;
  /** Absent when the files have errors. */
  readonly place?: DaemonPlace;
  readonly native: DaemonConfig["native"];
}

/** Reads all files of the configuration, and opens those that it names. Rejects with the signal's reason. */
export async function lookAtConfig(sources: ConfigSources, signal?: AbortSignal): Promise<ConfigLook> {
  const { config, diagnostics, files } = await inspectConfig(sources, signal === undefined ? {} : { signal });
  const { hosts, routeDump } = config?.preload ?? {};
  const [hostsFile, dumpFile] = await Promise.all([dataFile(hosts, signal), dataFile(routeDump, signal)]);
  const seen: ConfigSeen = {
    ...(files.config === undefined ? {} : { yaml: files.config.path }),
    ...(files.options === undefined ? {} : { options: there(files.options) }),
    ...(files.addresses === undefined ? {} : { addresses: there(files.addresses) }),
    ...(hostsFile === undefined ? {} : { hosts: hostsFile.seen }),
    ...(dumpFile === undefined ? {} : { routeDump: dumpFile.seen }),
    diagnostics: [...diagnostics, ...(hostsFile?.problems ?? []), ...(dumpFile?.problems ?? [])],
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

/** A file that the engine reads when it needs it: can it be opened? */
async function dataFile(
  path: string | undefined,
  signal: AbortSignal | undefined,
): Promise<{ readonly seen: FileSeen; readonly problems: readonly Diagnostic[] } | undefined> {
  if (path === undefined) return undefined;
  try {
    await (await openRegular(path, signal)).close();
    return { seen: { path, isThere: true }, problems: [] };
  } catch (error) {
    signal?.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { seen: { path, isThere: false }, problems: [] };
    const hint = VerbenaError.is(error) ? error.hint : undefined;
    const problem = { severity: "error", file: path, message, ...(hint === undefined ? {} : { hint }) } as const;
    return { seen: { path, isThere: true }, problems: [problem] };
  }
}
