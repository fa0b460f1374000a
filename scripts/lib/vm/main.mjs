import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { cacheFolder, isKernelReady, prepareKernel } from "./cache.mjs";
import { parseCommandLine, usage } from "./command-line.mjs";
import { VmFailed } from "./failure.mjs";
import { runMachine } from "./machine.mjs";
import { hostPrograms } from "./programs.mjs";

const started = performance.now();

function realDirectory(path) {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  return isDirectory ? realpathSync(path) : undefined;
}

const report = ({ code, message }) => console.error(`vm: ${code}: ${message}`);

async function main(argv) {
  const options = parseCommandLine(argv, { env: process.env, realDirectory });
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  const note = (text) => {
    if (options.verbose) console.error(`vm: ${((performance.now() - started) / 1000).toFixed(2)} s: ${text}`);
  };
  const programs = hostPrograms();
  if (!isKernelReady()) console.error(`vm: first use: fetching and unpacking a kernel into ${cacheFolder()}`);
  const kernel = prepareKernel();
  note(`${kernel.name} is ready`);
  if (options.prepare) return 0;
  const kernelLog = options.kernelLog === undefined ? {} : { kernelLog: resolve(options.kernelLog) };
  const { status, failure } = await runMachine({ options: { ...options, ...kernelLog }, kernel, programs, note });
  if (failure) report(failure);
  return status;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof VmFailed)) throw error;
  report(error);
  process.exitCode = 125;
}
