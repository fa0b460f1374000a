import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import type { NativeServices } from "@verbena/native";
import type { AddressLine } from "../config/addresses/address-list.js";
import { readAddresses } from "../config/addresses/read-addresses.js";
import type { AddressConfig } from "../config/daemon-config.js";
import { generateAddressFile } from "../config/generate/address-file.js";
import { DiagnosticSink } from "../config/text/diagnostic.js";
import type { Logger } from "../sdk/services.js";
import { devicePorts } from "./device-ports.js";

/**
 * The lines of the address file, or, where there is none, the default ones: written where the file was expected, or kept in memory
 * with a log line if that is not possible or no file was named.
 */
export async function addressLines(
  config: AddressConfig,
  native: NativeServices,
  logger: Logger,
): Promise<readonly AddressLine[]> {
  if (config.isFound) return config.lines;
  const devices = await devicePorts(native);
  if (devices.length === 0) return [];
  const text = generateAddressFile({ hostname: hostname(), devices });
  // Before a port is active the host's own name has no line yet.
  const isComplete = devices.some(({ ports }) => ports.some(({ active }) => active));
  if (config.file !== undefined && isComplete) await write(config.file, text, logger);
  return readAddresses(text, "default names", new DiagnosticSink(), config);
}

async function write(file: string, text: string, logger: Logger): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    // Never over a file that somebody wrote in the meantime.
    await writeFile(file, text, { flag: "wx" });
    logger.info("address file written", { file });
  } catch (error) {
    logger.warn("the default address file cannot be written; its names are kept in memory", {
      file,
      error: String(error),
    });
  }
}
