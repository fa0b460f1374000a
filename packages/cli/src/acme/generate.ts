import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { errnoText } from "./errno-text.js";
import type { AcmeOptions } from "./options.js";
import type { Print } from "./print.js";

/** What the files are made from. */
export interface GenerateSources {
  /** Default folder: `/etc/rdma`. */
  readonly confDir: string;
  /** Text of the address file, and how many devices it names. */
  addressFile(): Promise<{ readonly devices: number; readonly text: string }>;
  /** Text of the options file. */
  optionsFile(): Promise<string>;
}

/** `-A`: writes the address file. Gives the status. */
export async function makeAddressFile(options: AcmeOptions, sources: GenerateSources, print: Print): Promise<number> {
  const target = prepare(options, options.addressFile, sources, print);
  const { devices, text } = await sources.addressFile();
  if (devices === 0) {
    print("ibv_get_device_list - no devices present?");
    return -1;
  }
  const status = write(target, text, "address", print);
  if (status === 0 && options.verbose) for (const line of activeLines(text)) print(line);
  return status;
}

/** `-O`: writes the options file. Gives the status. */
export async function makeOptionsFile(options: AcmeOptions, sources: GenerateSources, print: Print): Promise<number> {
  const target = prepare(options, options.optionsFile, sources, print);
  return write(target, await sources.optionsFile(), "option", print);
}

/** Makes the folder if it is missing; complains, but goes on, if that is not possible. An absolute file name stays absolute. */
function prepare(options: AcmeOptions, file: string, { confDir }: GenerateSources, print: Print): string {
  const directory = options.directory ?? confDir;
  if (options.verbose) print(`Generating ${directory}/${file}`);
  try {
    makeDirectory(directory);
    readdirSync(directory);
  } catch (error) {
    print(`Failed to open directory ${directory}: ${errnoText((error as NodeJS.ErrnoException).code)}`);
  }
  return resolve(directory, file);
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory);
    chmodSync(directory, 0o755);
  } catch {
    // There already, or not to be made: opening it says which.
  }
}

function write(path: string, text: string, kind: "address" | "option", print: Print): number {
  try {
    writeFileSync(path, text);
    return 0;
  } catch (error) {
    const reason = errnoText((error as NodeJS.ErrnoException).code);
    print(`Failed to open ${kind} configuration file: ${reason}`);
    return -1;
  }
}

function activeLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}
