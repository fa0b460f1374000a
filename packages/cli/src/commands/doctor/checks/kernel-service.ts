import { type Check, finding, skipped } from "../check.js";

/** Who answers the kernel's own path queries. */
export const kernelService: Check = {
  id: "kernel-service",
  group: "service",
  title: "kernel's path queries",
  async run(probe) {
    if (probe.fabric !== undefined) return skipped("a simulated fabric has no kernel");
    const { netlink, listeners } = await probe.kernel();
    if (!netlink) return skipped("this kernel has no RDMA netlink");
    const daemon = await probe.daemon();
    const own = daemon?.status.kernelService;
    if (own?.state === "off") return skipped(own.reason ?? "not wanted by the daemon's configuration");
    if (listeners.length === 0) {
      if (daemon === undefined)
        return [finding("ok", "nobody listens: the kernel asks the subnet administrator itself")];
      const { reason, remedy = "give the daemon CAP_NET_ADMIN (root has it) and restart it" } = own ?? {};
      const why = reason === undefined ? "" : ` (${reason})`;
      return [
        finding("warn", `the daemon does not listen${why}: the kernel asks the subnet administrator itself`, {
          remedy,
        }),
      ];
    }
    const who = listeners.map((pid) => (pid === daemon?.status.pid ? "the daemon" : `process ${String(pid)}`));
    return [finding("ok", `answered by ${who.join(", ")}`)];
  },
};
