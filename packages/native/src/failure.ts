import type { VerbenaError } from "@verbena/ib";
import type { BindingError } from "./binding.js";
import { NATIVE_ERRORS, nativeError } from "./errors.js";

type Code = keyof typeof NATIVE_ERRORS;

/** What to do about errnos that mean one thing wherever they come from. */
const CERTAIN: Readonly<Record<string, string>> = {
  EACCES: "Needs root or access to /dev/infiniband/umad* and uverbs* (group rdma on most distributions).",
  EPERM: "Needs root or the capabilities CAP_NET_ADMIN and CAP_NET_RAW.",
  ENOSYS: "This kernel has no RDMA support loaded: modprobe ib_uverbs ib_umad, or install the kernel's extra modules.",
  ENOMEM: "The system is out of (locked) memory; raise 'ulimit -l' or free some.",
  EMFILE: "The process has too many open files; raise 'ulimit -n'.",
};

/** What to do about others, where the table has no better hint. */
const LIKELY: Readonly<Record<string, string>> = {
  ENODEV: "There is no such device or port any more; list the devices again.",
  EINVAL:
    "The driver refuses the arguments; check LIDs, queue pair and agent. An Ethernet (RoCE) port takes only messages with a GRH.",
  EBUSY: "The device is in use by another program.",
  ENOENT: "Check the path, and that what should have made it runs.",
};

/** The addon's errors come from the outer realm of test runners, so they are recognised by shape. */
function asBindingError(cause: unknown): BindingError | undefined {
  return typeof cause === "object" && cause !== null && "message" in cause ? (cause as BindingError) : undefined;
}

/** Errno name of a failure of the addon (`EACCES`), if it has one. */
export function errnoName(cause: unknown): string | undefined {
  const code = asBindingError(cause)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Message of whatever was thrown. */
export function reasonOf(cause: unknown): string {
  return asBindingError(cause)?.message ?? String(cause);
}

/**
 * Turns a failure of the addon into the coded error `code`, errno and syscall kept. Hint: the one given, else what the errno certainly
 * means, else the table's, else what the errno probably means.
 */
export function failure(
  code: Code,
  details: Readonly<Record<string, unknown>>,
  cause: unknown,
  hint?: string,
): VerbenaError {
  const error = asBindingError(cause);
  const name = errnoName(cause) ?? "";
  const table: { readonly message: string; readonly hint?: string } = NATIVE_ERRORS[code];
  const chosen = hint ?? CERTAIN[name] ?? table.hint ?? LIKELY[name];
  return nativeError(code, {
    details: { ...details, reason: reasonOf(cause) },
    cause,
    ...(chosen === undefined ? {} : { hint: chosen }),
    errno: error?.errno,
    syscall: error?.syscall,
  });
}

/** Calls into the addon; what it throws becomes the coded error `code`. */
export function calling<T>(code: Code, details: Readonly<Record<string, unknown>>, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    throw failure(code, details, cause);
  }
}

/** As {@link calling}, of a call that gives a promise. */
export async function awaiting<T>(
  code: Code,
  details: Readonly<Record<string, unknown>>,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw failure(code, details, cause);
  }
}

/** Whatever was thrown or given as a reason, as an error to reject with. */
export function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
