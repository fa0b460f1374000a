import { type Check, finding, skipped } from "../check.js";

/** The devices' own files: without them ports are read now and then instead of telling when they change. */
export const uverbsAccess: Check = {
  id: "uverbs-access",
  group: "access",
  title: "uverbs access",
  async run(probe) {
    if (probe.fabric !== undefined) return skipped("a simulated fabric has no device files");
    const files = (await probe.deviceFiles()).filter(({ path }) => path.includes("/uverbs"));
    if (files.length === 0) return skipped("no /dev/infiniband/uverbs*");
    return files.map(({ path, problem }) =>
      problem === undefined
        ? finding("ok", "readable and writable", { subject: path })
        : finding("warn", `${problem.reason}; changes of the ports are seen late`, {
            subject: path,
            remedy:
              'run the daemon as root, or let its group in: KERNEL=="uverbs*", GROUP="rdma", MODE="0666" in /etc/udev/rules.d/90-uverbs.rules, then `udevadm trigger`',
          }),
    );
  },
};
