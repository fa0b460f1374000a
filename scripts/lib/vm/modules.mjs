// Which kernel modules go into the initramfs, and in which order they are inserted.
import { basename } from "node:path";
import { VmFailed } from "./failure.mjs";

/** Lists by name; each is completed with what its modules depend on, without what an earlier list has. */
export const moduleLists = {
  /** To find the host's files. */
  boot: ["virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay"],
  /** RDMA and RDS. */
  rdma: ["veth", "rdma_rxe", "ib_umad", "rdma_ucm", "rds", "rds_tcp", "rds_rdma"],
  /** The network device of a machine with one host. */
  dummy: ["dummy"],
};

const nameOf = (path) => basename(path, ".ko").replaceAll("-", "_");

/** Map of module name to { path, needs } from the text of modules.dep. */
export function parseModulesDep(text) {
  return new Map(
    text
      .split("\n")
      .filter((row) => row.includes(":"))
      .map((row) => {
        const [path, needs] = row.split(":");
        return [nameOf(path), { path, needs: needs.split(" ").filter(Boolean).map(nameOf) }];
      }),
  );
}

/** { list name: module names in order of insertion }. Throws VM_KERNEL for a module that the package lacks. */
export function insertionOrder(lists, known) {
  const placed = new Set();
  const visit = (name) => {
    if (placed.has(name)) return [];
    placed.add(name);
    const found = known.get(name);
    if (found === undefined) throw new VmFailed("VM_KERNEL", `the kernel package has no module ${name}`);
    return [...found.needs.flatMap(visit), name];
  };
  return Object.fromEntries(Object.entries(lists).map(([list, names]) => [list, names.flatMap(visit)]));
}
