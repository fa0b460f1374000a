import { type Check, type Finding, finding, skipped } from "../check.js";
import { whose } from "./whose.js";

/** Numbers of linux/capability.h, and what is lost without them. */
const WANTED = [
  { bit: 12n, name: "CAP_NET_ADMIN", lost: "the kernel's own path queries are not answered" },
  { bit: 13n, name: "CAP_NET_RAW", lost: "the multicast protocol's privileged Q_Key cannot be set" },
] as const;

/** Effective capabilities: which are there, and which function each missing one takes away. */
export const capabilities: Check = {
  id: "capabilities",
  group: "access",
  title: "capabilities",
  async run(probe) {
    if (probe.fabric !== undefined) return skipped("a simulated fabric needs none");
    const seen = await probe.process();
    const subject = whose(seen);
    return WANTED.map(({ bit, name, lost }): Finding => {
      const user = seen.uid === 0 ? "root" : `user ${String(seen.uid)}`;
      if ((seen.capabilities >> bit) & 1n) return finding("ok", `${name} (${user})`, { subject });
      const remedy = `run the daemon as root, or add AmbientCapabilities=${name} with \`systemctl edit ibacm\``;
      return finding("warn", `no ${name} (${user}): ${lost}`, { subject, remedy });
    });
  },
};
