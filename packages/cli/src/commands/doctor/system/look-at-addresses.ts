import { Gid } from "@verbena/ib";
import type { NativeServices } from "@verbena/native";
import type { AddressSeen } from "../probe.js";

/** The IP addresses on InfiniBand ports: the first complete listing, or what is known of it when the time is up. */
export async function lookAtAddresses(native: NativeServices, patienceMs: number): Promise<readonly AddressSeen[]> {
  await using source = native.openAddressSource();
  const found: AddressSeen[] = [];
  const timer = setTimeout(() => void source.close(), patienceMs);
  try {
    for await (const event of source.events()) {
      if (event.type === "synced") break;
      if (event.type !== "added") continue;
      const { gid, ...rest } = event.address;
      found.push({ ...rest, gid: Gid.format(gid) });
    }
    return found;
  } finally {
    clearTimeout(timer);
  }
}
