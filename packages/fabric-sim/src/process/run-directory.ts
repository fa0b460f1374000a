import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { simError } from "../errors.js";

/** Bytes that a Unix socket path may have. */
const MAX_SOCKET_PATH = 107;

/**
 * Makes the fabric's directory and checks that it can be used: not under /run (which belongs to the system's services), socket
 * paths short enough, no other fabric in it. Returns the absolute path.
 *
 * @throws VerbenaError `VERBENA_SIM_DIR`, `VERBENA_SIM_DIR_BUSY`, `VERBENA_SIM_SOCKET_PATH`
 */
export async function prepareDirectory(dir: string, socketNames: readonly string[]): Promise<string> {
  const given = resolve(dir);
  for (const name of socketNames) {
    const path = join(given, name);
    const length = Buffer.byteLength(path);
    if (length > MAX_SOCKET_PATH) throw simError("VERBENA_SIM_SOCKET_PATH", { details: { path, length } });
  }
  refuseRun(given);
  try {
    mkdirSync(given, { recursive: true });
    refuseRun(realpathSync(given));
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    throw simError("VERBENA_SIM_DIR", { details: { dir: given, problem: error.message }, cause: error });
  }
  for (const name of socketNames) {
    const path = join(given, name);
    if (await answers(path)) throw simError("VERBENA_SIM_DIR_BUSY", { details: { dir: given } });
    rmSync(path, { force: true });
  }
  return given;
}

function refuseRun(path: string): void {
  if (/^(?:\/var)?\/run(?:\/|$)/.test(path)) {
    throw simError("VERBENA_SIM_DIR", {
      details: { dir: path, problem: "it is under /run, where the system's own services live" },
    });
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      settle(true);
    });
    socket.once("error", () => {
      settle(false);
    });
  });
}
