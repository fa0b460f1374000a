import { VerbenaError } from "@verbena/ib";

/**
 * What can go wrong that is not the device's doing.
 * @typedef {"TRANSFER_USAGE" | "TRANSFER_FILE" | "TRANSFER_PEER" | "TRANSFER_REFUSED" | "TRANSFER_CHECKSUM"} Code
 */

/** A failure with a stable code. */
export class TransferError extends Error {
  /**
   * @param {Code} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}

/**
 * A call of the file system; its failures get a code and keep the system's reason.
 * @template T
 * @param {Promise<T>} call
 * @returns {Promise<T>}
 */
export const ofFile = (call) =>
  call.catch((/** @type {Error} */ cause) => {
    throw new TransferError("TRANSFER_FILE", cause.message, { cause });
  });

/**
 * The code and the message of any failure, as they are printed here and told to the peer.
 * @param {unknown} error
 * @returns {{ readonly code: string, readonly message: string }}
 */
export function toldOf(error) {
  if (!(error instanceof Error)) return { code: "TRANSFER_PEER", message: String(error) };
  const code = "code" in error ? String(error.code) : error.name;
  return { code, message: error.message };
}

/**
 * Runs a program to its end: a failure is printed with its code and, if it has one, its hint, and becomes the exit status: 2 for a command
 * line that is wrong, else 1.
 * @param {() => Promise<void>} program
 */
export async function run(program) {
  try {
    await program();
  } catch (error) {
    const { code, message } = toldOf(error);
    console.error(`${code}: ${message}`);
    if (VerbenaError.is(error) && error.hint !== undefined) console.error(`hint: ${error.hint}`);
    process.exitCode = code === "TRANSFER_USAGE" ? 2 : 1;
  }
}
