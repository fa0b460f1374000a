import type { NativeServices } from "@verbena/native";
import type { AddressFileInput } from "../config/generate/address-file.js";

type DevicePorts = AddressFileInput["devices"][number];

/**
 * Devices and ports as the default address file names them, in the order of the device list: from libibverbs, or from libibumad
 * where that lists none. A device that cannot be opened is left out.
 */
export async function devicePorts(native: NativeServices): Promise<readonly DevicePorts[]> {
  const found = await verbsDevices(native);
  return found.length > 0 ? found : umadDevices(native);
}

async function verbsDevices(native: NativeServices): Promise<readonly DevicePorts[]> {
  const found: DevicePorts[] = [];
  for (const { name } of tryList(() => native.verbs.devices())) {
    try {
      await using device = native.verbs.open(name);
      const ports = Array.from({ length: device.queryDevice().portCount }, (_, index) => ({
        port: index + 1,
        active: device.queryPort(index + 1).state === "active",
      }));
      found.push({ name, ports });
    } catch {
      // Gone since it was listed, or not ours to open: it has no names then.
    }
  }
  return found;
}

function umadDevices(native: NativeServices): readonly DevicePorts[] {
  const devices = new Map<string, { port: number; active: boolean }[]>();
  for (const { device, port, state } of tryList(() => native.umad.listPorts())) {
    if (port === 0) continue;
    const ports = devices.get(device) ?? [];
    ports.push({ port, active: state === "active" });
    devices.set(device, ports);
  }
  return [...devices].map(([name, ports]) => ({ name, ports }));
}

/** A library that is not there lists nothing. */
function tryList<T>(list: () => readonly T[]): readonly T[] {
  try {
    return list();
  } catch {
    return [];
  }
}
