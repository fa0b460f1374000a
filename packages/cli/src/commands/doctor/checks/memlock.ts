import { type Check, finding, skipped } from "../check.js";
import { activePorts } from "./port-name.js";
import { whose } from "./whose.js";

const MIB = 1_048_576;
/** What the receive buffers and queues of one endpoint pin, rounded up. */
const PER_ENDPOINT = MIB;
/** The least that makes sense: systemd's and most shells' default. */
const LEAST = 8 * MIB;
const CAP_IPC_LOCK = 14n;

/** RLIMIT_MEMLOCK: adapters pin the memory of queues and buffers. */
export const memlock: Check = {
  id: "memlock",
  group: "access",
  title: "locked memory",
  async run(probe) {
    if (probe.fabric !== undefined) return skipped("a simulated fabric pins no memory");
    const [seen, devices] = await Promise.all([probe.process(), probe.devices()]);
    const subject = whose(seen);
    const endpoints = activePorts(devices).reduce(
      (sum, { pkeys }) => sum + pkeys.filter((pkey) => pkey !== 0).length,
      0,
    );
    const wanted = Math.max(LEAST, endpoints * PER_ENDPOINT);
    if (seen.memlock === "unlimited") return [finding("ok", "unlimited", { subject })];
    const limit = `${String(Math.floor(seen.memlock / 1024))} KiB`;
    if ((seen.capabilities >> CAP_IPC_LOCK) & 1n)
      return [finding("ok", `${limit}, not applied to CAP_IPC_LOCK`, { subject })];
    if (seen.memlock >= wanted) return [finding("ok", limit, { subject })];
    const remedy = seen.isDaemon
      ? "set LimitMEMLOCK=infinity with `systemctl edit ibacm` and restart the daemon"
      : "write `* - memlock unlimited` to /etc/security/limits.d/rdma.conf and log in again";
    return [finding("warn", `${limit}, less than ${String(wanted / 1024)} KiB`, { subject, remedy })];
  },
};
