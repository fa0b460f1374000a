import { Gid, PKey } from "@verbena/ib";
import type { DeviceFileSeen, InterfaceSeen, KernelSeen } from "../probe.js";
import type { HostFiles } from "./files.js";

/** Number of NETLINK_RDMA, and the group mask of the local service (RDMA_NL_GROUP_LS, group 3). */
const NETLINK_RDMA = 20;
const LOCAL_SERVICE_GROUP = 4;
/** ARPHRD_INFINIBAND of `/sys/class/net/IF/type`. */
const INFINIBAND_LINK = "32";
/** IFF_UP of `/sys/class/net/IF/flags`. */
const IFF_UP = 1;

/** RDMA classes of the kernel, and who listens for its path queries. */
export async function lookAtKernel(files: HostFiles): Promise<KernelSeen> {
  const [core, verbs, umad, netlink] = await Promise.all([
    files.list("/sys/class/infiniband"),
    files.list("/sys/class/infiniband_verbs"),
    files.list("/sys/class/infiniband_mad"),
    files.read("/proc/net/netlink"),
  ]);
  const sockets = netlinkSockets(netlink ?? "").filter(({ protocol }) => protocol === NETLINK_RDMA);
  return {
    ...(core === undefined ? {} : { core }),
    verbs: verbs !== undefined,
    umad: umad !== undefined,
    netlink: sockets.some(({ pid }) => pid === 0),
    listeners: sockets
      .filter(({ pid, groups }) => pid !== 0 && (groups & LOCAL_SERVICE_GROUP) !== 0)
      .map(({ pid }) => pid),
  };
}

/** Rows of `/proc/net/netlink`: sk, Eth (protocol), Pid, Groups (hexadecimal), … */
function netlinkSockets(text: string) {
  return text
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .map(([, protocol = "", pid = "", groups = ""]) => ({
      protocol: Number(protocol),
      pid: Number(pid),
      groups: Number.parseInt(groups, 16),
    }));
}

/** Device files of umad and uverbs. */
export async function lookAtDeviceFiles(files: HostFiles): Promise<readonly DeviceFileSeen[]> {
  const names = (await files.list("/dev/infiniband")) ?? [];
  const wanted = names.filter((name) => /^(umad|uverbs)\d+$/.test(name)).map((name) => `/dev/infiniband/${name}`);
  return Promise.all(
    wanted.map(async (path): Promise<DeviceFileSeen> => {
      const problem = await files.accessProblem(path);
      return problem === undefined ? { path } : { path, problem };
    }),
  );
}

/** IPoIB interfaces with the GID of their port: bytes 4–19 of the 20-byte hardware address. */
export async function lookAtInterfaces(files: HostFiles): Promise<readonly InterfaceSeen[]> {
  const names = (await files.list("/sys/class/net")) ?? [];
  const seen = await Promise.all(names.map((name) => lookAtInterface(files, name)));
  return seen.flatMap((one) => one ?? []);
}

async function lookAtInterface(files: HostFiles, name: string): Promise<InterfaceSeen | undefined> {
  const at = (file: string): Promise<string | undefined> => files.read(`/sys/class/net/${name}/${file}`);
  if ((await at("type")) !== INFINIBAND_LINK) return undefined;
  const [address, pkeyText, flags] = await Promise.all([at("address"), at("pkey"), at("flags")]);
  const bytes = Buffer.from((address ?? "").replaceAll(":", ""), "hex");
  if (bytes.length !== 20) return undefined;
  const pkey = PKey.tryParse(pkeyText ?? "");
  return {
    name,
    gid: Gid.format(Gid.read(bytes, 4)),
    ...(pkey === undefined ? {} : { pkey }),
    isUp: (Number(flags ?? "0") & IFF_UP) !== 0,
  };
}
