import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PKey } from "@verbena/ib";

/** Reads the P_Key of an IPoIB interface from sysfs (`/sys/class/net/ib0/pkey`: `0xffff`); `undefined` if there is none to read. */
export function readSysfsPkey(interfaceName: string, root = "/sys/class/net"): PKey | undefined {
  try {
    return PKey.tryParse(readFileSync(join(root, interfaceName, "pkey"), "ascii").trim());
  } catch {
    return undefined; // renamed or removed since the message was sent; the next message tells
  }
}
