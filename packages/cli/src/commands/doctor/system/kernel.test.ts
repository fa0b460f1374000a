import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostFiles } from "./files.js";
import { lookAtDeviceFiles, lookAtInterfaces, lookAtKernel } from "./kernel.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kernel-"));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

/** A host with these files and no others; a path that ends in / is a folder. */
function host(files: Readonly<Record<string, string>>): HostFiles {
  for (const [path, text] of Object.entries(files)) {
    const full = join(root, path);
    mkdirSync(path.endsWith("/") ? full : join(full, ".."), { recursive: true });
    if (!path.endsWith("/")) writeFileSync(full, text);
  }
  return new HostFiles(root);
}

/** As Linux 6.1 prints it: NETLINK_RDMA is protocol 20, pid 0 is the kernel, groups are a mask in hexadecimal. */
const NETLINK = `sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode
00000000c1ad7a8d 0   0          00000000 0        0        0     2        0        12
0000000011f8a4a5 15  412        00000002 0        0        0     2        0        7911
000000009b7d3c11 20  0          00000000 0        0        0     2        0        9034
00000000a0b1c2d3 20  733        00000004 0        0        0     2        0        11377
00000000a0b1c2d4 20  -4133      0000000c 0        0        0     2        0        11378
00000000a0b1c2d5 20  734        00000008 0        0        0     2        0        11379
00000000a0b1c2d6 0   735        00000004 0        0        0     2        0        11380
`;

describe("the kernel's RDMA", () => {
  it("is not there without its classes and its netlink family", async () => {
    expect(await lookAtKernel(host({}))).toEqual({ verbs: false, umad: false, netlink: false, listeners: [] });
    const others = NETLINK.replace(/^\S+ 20 .*\n/gm, "");
    expect(await lookAtKernel(host({ "proc/net/netlink": others }))).toMatchObject({ netlink: false, listeners: [] });
  });

  it("has devices in the order people count, and a class for each module", async () => {
    const files = host({
      "sys/class/infiniband/mlx5_10/": "",
      "sys/class/infiniband/mlx5_2/": "",
      "sys/class/infiniband_verbs/uverbs0/": "",
    });
    expect(await lookAtKernel(files)).toMatchObject({ core: ["mlx5_2", "mlx5_10"], verbs: true, umad: false });
  });

  it("is listened to by who is in group 3 of NETLINK_RDMA, the kernel itself aside", async () => {
    expect(await lookAtKernel(host({ "proc/net/netlink": NETLINK }))).toMatchObject({
      netlink: true,
      listeners: [733, -4133],
    });
  });

  it.each(["", "sk Eth", "sk Eth\n\n \n", "sk Eth\n00 20\n", "sk Eth\nx y z w\n"])(
    "has no listener in the unusual listing %j",
    async (text) => {
      expect(await lookAtKernel(host({ "proc/net/netlink": text }))).toMatchObject({ listeners: [] });
    },
  );
});

describe("device files", () => {
  it("are those of umad and uverbs", async () => {
    const names = ["umad0", "umad10", "umad2", "issm0", "uverbs0", "rdma_cm", "umad"];
    const files = host(Object.fromEntries(names.map((name) => [`dev/infiniband/${name}`, ""])));
    expect(await lookAtDeviceFiles(files)).toEqual(
      ["umad0", "umad2", "umad10", "uverbs0"].map((name) => ({ path: `/dev/infiniband/${name}` })),
    );
    expect(await lookAtDeviceFiles(new HostFiles(join(root, "none")))).toEqual([]);
  });
});

describe("IPoIB interfaces", () => {
  const HARDWARE = "80:00:02:08:fe:80:00:00:00:00:00:00:ec:0d:9a:03:00:7d:9e:a2";
  const ib0 = { address: `${HARDWARE}\n`, type: "32\n", pkey: "0xffff\n", flags: "0x1003\n" };
  const interfaceFiles = (name: string, files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([file, text]) => [`sys/class/net/${name}/${file}`, text]));

  it("tell the GID of their port by bytes 4 to 19 of their hardware address", async () => {
    const files = host({
      ...interfaceFiles("eth0", { address: "02:00:00:00:00:01\n", type: "1\n", flags: "0x1003\n" }),
      ...interfaceFiles("ib0", ib0),
      ...interfaceFiles("ib0.8001", { ...ib0, pkey: "0x8001\n", flags: "0x1002\n" }),
    });
    const gid = "fe80::ec0d:9a03:7d:9ea2";
    expect(await lookAtInterfaces(files)).toEqual([
      { name: "ib0", gid, pkey: 0xffff, isUp: true },
      { name: "ib0.8001", gid, pkey: 0x8001, isUp: false },
    ]);
  });

  it("are left out without a whole hardware address; P_Key and flags may lack", async () => {
    const files = host({
      ...interfaceFiles("ib0", { address: "80:00:02\n", type: "32\n" }),
      ...interfaceFiles("ib1", { type: "32\n" }),
      ...interfaceFiles("ib2", { address: HARDWARE, type: "32" }),
    });
    expect(await lookAtInterfaces(files)).toEqual([{ name: "ib2", gid: "fe80::ec0d:9a03:7d:9ea2", isUp: false }]);
  });
});
