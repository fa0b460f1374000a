/** What the errnos mean with which a kernel refuses the local service's time-out (measured on Linux 6.1). */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [1, "EPERM: answering the kernel needs root or CAP_NET_ADMIN"],
  [22, "EINVAL: the kernel asks only in the host's network namespace, and only with ib_core loaded"],
]);

/** Words for a positive errno. */
export function refusalReason(errno: number): string {
  return `the kernel refuses: ${REFUSALS.get(errno) ?? `errno ${String(errno)}`}`;
}
