import { constants } from "node:os";
import { AcmClient, ControlClient } from "@verbena/core/client";
import { VerbenaError } from "@verbena/ib";
import { cliError } from "../../errors.js";

/** Where a client command finds its daemon. */
export interface ServiceOptions {
  readonly socket: string;
  readonly control?: string;
  readonly json?: boolean;
}

/** The daemon behind a socket: ours, with its control socket, or one that has only the ACM socket (a real ibacm). */
export type Service =
  | { readonly kind: "control"; readonly client: ControlClient }
  | { readonly kind: "acm"; readonly client: AcmClient };

/**
 * Runs `use` with the daemon. The control socket is tried first; where nobody listens there, the ACM socket serves what it can.
 * Rejects with VERBENA_CLI_NO_DAEMON when neither answers.
 */
export async function withService<T>(options: ServiceOptions, use: (service: Service) => Promise<T>): Promise<T> {
  const path = options.control ?? `${options.socket}.ctl`;
  await using control = new ControlClient({ path });
  try {
    return await use({ kind: "control", client: control });
  } catch (error) {
    if (!isAbsent(error)) throw error;
    if (options.control !== undefined) throw noDaemon(path, error);
  }
  await using acm = await connectAcm(options.socket);
  return await use({ kind: "acm", client: acm });
}

/** A control socket that exists and may not be used is a fact to report, not a daemon without one. */
function isAbsent(error: unknown): boolean {
  return VerbenaError.is(error, "VERBENA_CLIENT_CONNECT") && error.errno !== constants.errno.EACCES;
}

async function connectAcm(socketPath: string): Promise<AcmClient> {
  try {
    return await AcmClient.connect({ socketPath });
  } catch (cause) {
    if (!VerbenaError.is(cause, "VERBENA_CLIENT_CONNECT")) throw cause;
    throw noDaemon(socketPath, cause);
  }
}

function noDaemon(path: string, cause: unknown): Error {
  return cliError("VERBENA_CLI_NO_DAEMON", { details: { path }, cause });
}

/** What a command says when only the ACM socket answers. */
export function notOffered(what: string): Error {
  return cliError("VERBENA_CLI_NOT_OFFERED", { details: { what } });
}
