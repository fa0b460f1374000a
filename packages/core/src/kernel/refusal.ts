/** Why the kernel's path queries do not come here, and what to do about it. */
export interface KernelLoss {
  readonly reason: string;
  readonly remedy?: string;
}

/** What the errnos mean with which a kernel refuses the local service's time-out (measured on Linux 6.1). */
const REFUSALS: ReadonlyMap<number, Required<KernelLoss>> = new Map([
  [
    1,
    {
      reason: "EPERM: answering the kernel needs root or CAP_NET_ADMIN",
      remedy: "Run the daemon as root, or add AmbientCapabilities=CAP_NET_ADMIN with `systemctl edit ibacm`.",
    },
  ],
  [
    22,
    {
      reason: "EINVAL: the kernel asks only in the host's network namespace, and only with ib_core loaded",
      remedy: "Run the daemon in the host's network namespace, after `modprobe ib_core`.",
    },
  ],
]);

/** Words for a positive errno. */
export function refusal(errno: number): KernelLoss {
  const { reason, ...known } = REFUSALS.get(errno) ?? { reason: `errno ${String(errno)}` };
  return { reason: `the kernel refuses: ${reason}`, ...known };
}
