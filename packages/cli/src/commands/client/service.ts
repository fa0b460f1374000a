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
 * Runs `use` with the daemon. The control socket is tried first; where there is none the ACM socket serves what it can.
 * Rejects with VERBENA_CLI_NO_DAEMON when neither answers.
 */
export async function withService<T>(options: ServiceOptions, use: (service: Service) => Promise<T>): Promise<T> {
  const path = options.control ?? `${options.socket}.ctl`;
  await using control = new ControlClient({ path });
  if (await answers(control)) return await use({ kind: "control", client: control });
  if (options.control !== undefined) throw cliError("VERBENA_CLI_NO_DAEMON", { details: { path } });
  await using acm = await connectAcm(options.socket);
  return await use({ kind: "acm", client: acm });
}

async function answers(control: ControlClient): Promise<boolean> {
  try {
    await control.status();
    return true;
  } catch (error) {
    if (VerbenaError.is(error, "VERBENA_CLIENT_CONNECT") && !isForbidden(error)) return false;
    throw error;
  }
}

/** A control socket that exists and may not be used is a fact to report, not a daemon without one. */
function isForbidden(error: VerbenaError): boolean {
  return error.errno === 13;
}

async function connectAcm(socketPath: string): Promise<AcmClient> {
  try {
    return await AcmClient.connect({ socketPath });
  } catch (cause) {
    if (!VerbenaError.is(cause, "VERBENA_CLIENT_CONNECT")) throw cause;
    throw cliError("VERBENA_CLI_NO_DAEMON", { details: { path: socketPath }, cause });
  }
}

/** What a command says when only the ACM socket answers. */
export function notOffered(what: string): Error {
  return cliError("VERBENA_CLI_NOT_OFFERED", { details: { what } });
}
