/** Texts of the GNU C library for the errors that `ib_acme` prints; its users compare and grep them. */
const TEXTS: Readonly<Record<string, string>> = {
  EACCES: "Permission denied",
  EADDRNOTAVAIL: "Cannot assign requested address",
  EAGAIN: "Resource temporarily unavailable",
  ECONNABORTED: "Software caused connection abort",
  ECONNREFUSED: "Connection refused",
  ECONNRESET: "Connection reset by peer",
  EEXIST: "File exists",
  EHOSTUNREACH: "No route to host",
  EINVAL: "Invalid argument",
  EIO: "Input/output error",
  EISDIR: "Is a directory",
  EMFILE: "Too many open files",
  ENAMETOOLONG: "File name too long",
  ENETUNREACH: "Network is unreachable",
  ENODATA: "No data available",
  ENOENT: "No such file or directory",
  ENOMEM: "Cannot allocate memory",
  ENOSPC: "No space left on device",
  ENOTCONN: "Transport endpoint is not connected",
  ENOTDIR: "Not a directory",
  EPERM: "Operation not permitted",
  EPIPE: "Broken pipe",
  EPROTO: "Protocol error",
  EROFS: "Read-only file system",
  ETIMEDOUT: "Connection timed out",
};

/** Text of an error of the system, by its name. */
export function errnoText(code: string | undefined): string {
  return (code === undefined ? undefined : TEXTS[code]) ?? `Unknown error ${code ?? ""}`.trimEnd();
}

/** Errors that the client library makes of reply statuses; every other status reads as EINVAL. */
const STATUS_ERRORS: Readonly<Record<number, string>> = {
  1: "ENOMEM",
  3: "ENODATA",
  5: "ENOTCONN",
  6: "ETIMEDOUT",
  7: "EADDRNOTAVAIL",
  9: "EADDRNOTAVAIL",
};

/** Text of a reply's status. */
export function statusText(status: number): string {
  return errnoText(STATUS_ERRORS[status] ?? "EINVAL");
}
