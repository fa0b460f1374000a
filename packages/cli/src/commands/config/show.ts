import { type ConfigSetting, inspectConfig, loadConfig } from "@verbena/core";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { renderTable } from "../../output/table.js";
import { type ConfigOptions, configSources } from "./sources.js";

/** Prints every key with the value in force and where it comes from. Rejects with VERBENA_CONFIG_INVALID. */
export async function showConfig(options: ConfigOptions, io: Io): Promise<ExitCode> {
  const sources = configSources(options);
  const { config, settings } = await inspectConfig(sources);
  // Says what is wrong, and ends with the status that belongs to it.
  if (config === undefined) await loadConfig(sources);
  io.out(
    options.json === true
      ? `${JSON.stringify({ settings })}\n`
      : renderTable(
          ["key", "value", "from"],
          settings.map((setting) => [setting.key, valueText(setting), setting.origin]),
        ),
  );
  return EXIT.OK;
}

function valueText({ value }: ConfigSetting): string {
  if (value === undefined) return "-";
  return typeof value === "string" ? value : JSON.stringify(value);
}
