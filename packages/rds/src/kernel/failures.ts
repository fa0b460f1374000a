import { constants } from "node:os";
import type { DatagramErrno } from "@verbena/core/sdk";
import { errnoError, rdsError } from "../errors.js";

const NAMES: readonly DatagramErrno[] = [
  "EADDRINUSE",
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
  "EAGAIN",
  "EDESTADDRREQ",
  "EINVAL",
  "EMSGSIZE",
  "ENOBUFS",
  "ENOMEM",
  "ENOPROTOOPT",
  "ENOTCONN",
  "EOPNOTSUPP",
  "EPROTOTYPE",
  "ETIMEDOUT",
];
const BY_NUMBER: ReadonlyMap<number, DatagramErrno> = new Map(NAMES.map((name) => [constants.errno[name], name]));

/** The error for a call on the kernel that failed; `what` says which. */
export function kernelError(cause: unknown, what: string, details: Readonly<Record<string, unknown>> = {}): Error {
  const { errno = 0, message } = cause as { readonly errno?: number; readonly message?: string };
  const name = BY_NUMBER.get(errno);
  const reason = `${what}: ${message ?? `errno ${errno}`}`;
  if (name === undefined) return rdsError("VERBENA_RDS_KERNEL", { details: { reason }, cause, errno });
  return errnoError(name, { transports: "kernel", ...details, reason }, cause);
}

/** The name of what `sendmsg` says. Throws for what no message should meet. */
export function sendErrno(errno: number): DatagramErrno {
  const name = BY_NUMBER.get(errno);
  if (name === undefined) throw kernelError({ errno }, "cannot send");
  return name;
}
