import { clientsWithin, DEFAULT_ACM_SERVER_LIMITS } from "@verbena/core";
import { type Check, finding } from "../check.js";
import { whose } from "./whose.js";

/** Below this a node full of MPI ranks is turned away. */
const LEAST_CLIENTS = 1000;

/** RLIMIT_NOFILE: one descriptor per connected client. */
export const openFiles: Check = {
  id: "open-files",
  group: "access",
  title: "open files",
  async run(probe) {
    const seen = await probe.process();
    const subject = whose(seen);
    if (seen.openFiles === "unlimited") return [finding("ok", "unlimited", { subject })];
    const clients = clientsWithin(DEFAULT_ACM_SERVER_LIMITS.maxClients, seen.openFiles);
    const text = `${String(seen.openFiles)}, enough for ${String(clients)} clients`;
    if (clients >= LEAST_CLIENTS) return [finding("ok", text, { subject })];
    const remedy = seen.isDaemon
      ? "set LimitNOFILE=16512 with `systemctl edit ibacm` and restart the daemon"
      : "run `ulimit -n 16512` before the daemon, or write `* - nofile 16512` to /etc/security/limits.d/rdma.conf";
    return [finding("warn", text, { subject, remedy })];
  },
};
