import { EXIT } from "./exit-code.js";

/** Where a command writes. Handed in, so that tests see every byte. */
export interface Io {
  /** Standard output. */
  readonly out: (text: string) => void;
  /** Standard error. */
  readonly err: (text: string) => void;
}

/**
 * Standard output and error of this process. A reader that has gone (`verbena … | head`) is no failure; output that cannot be
 * written otherwise (a full disk) is told once on standard error and makes the exit status 1.
 */
export function processIo(): Io {
  let isTold = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code === "EPIPE") return;
    if ((process.exitCode ?? EXIT.OK) === EXIT.OK) process.exitCode = EXIT.FAILED;
    if (isTold) return;
    isTold = true;
    void tellOutputFailed(error.message);
  };
  process.stdout.on("error", onError);
  process.stderr.on("error", onError);
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  };
}

/** The error table is loaded only now: every command would pay for it at its start. */
async function tellOutputFailed(reason: string): Promise<void> {
  const { cliError } = await import("./errors.js");
  const { code, message, hint } = cliError("VERBENA_CLI_OUTPUT", { details: { reason } });
  process.stderr.write(`verbena: ${message} [${code}]\nhint: ${hint ?? ""}\n`);
}
