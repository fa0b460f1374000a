// What the kernel says of RDMA devices, read without any library of ours.
import { readFileSync } from "node:fs";

const read = (path: string): string => readFileSync(`/sys/class/infiniband/${path}`, "ascii").trim();
/** `0000:00ff:fe00:0101` as a number. */
const guid = (text: string): bigint => BigInt(`0x${text.replaceAll(":", "")}`);

/** Port 1 of a device. Values as sysfs prints them, numbers and GUIDs parsed. */
export function sysfsPort(device: string) {
  const port = (name: string): string => read(`${device}/ports/1/${name}`);
  return {
    nodeGuid: guid(read(`${device}/node_guid`)),
    /** 128 bits. */
    gid0: guid(port("gids/0")),
    pkey0: Number(port("pkeys/0")),
    lid: Number(port("lid")),
    smLid: Number(port("sm_lid")),
    /** `4: ACTIVE` */
    state: port("state"),
    physState: port("phys_state"),
    capabilityMask: Number(port("cap_mask")),
    /** `10 Gb/sec (1X FDR10)` */
    rate: port("rate"),
    linkLayer: port("link_layer"),
  };
}
