import { type Check, finding, skipped } from "../check.js";

/** The kernel's RDMA core and the modules that make the device files. */
export const kernel: Check = {
  id: "kernel",
  group: "libraries",
  title: "kernel modules",
  async run(probe) {
    if (probe.fabric !== undefined) return skipped("a simulated fabric needs none");
    const { core, verbs, umad } = await probe.kernel();
    if (core === undefined) {
      const remedy =
        "load your adapter's driver (`modprobe mlx5_ib`, `mlx4_ib`, …); if there is no such module, install the kernel's package of extra modules";
      return [finding("fail", "no RDMA support loaded", { remedy })];
    }
    const lacking = [...(verbs ? [] : ["ib_uverbs"]), ...(umad ? [] : ["ib_umad"])];
    if (lacking.length === 0) return [finding("ok", "RDMA core, ib_uverbs, ib_umad")];
    const remedy = `run \`modprobe -a ${lacking.join(" ")}\`, and name them in /etc/modules-load.d/rdma.conf for the next boot`;
    return [finding("fail", `not loaded: ${lacking.join(", ")}`, { remedy })];
  },
};
