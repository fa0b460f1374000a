import type { DeviceSeen, PortSeen } from "../probe.js";

/** `mlx5_0/1`, as endpoints are named everywhere. */
export function portName({ device, port }: { readonly device: string; readonly port: number }): string {
  return `${device}/${String(port)}`;
}

/** Ports the daemon serves: InfiniBand, and active. */
export function activePorts(devices: readonly DeviceSeen[]): readonly PortSeen[] {
  return devices.flatMap(({ ports }) => ports).filter(({ isInfiniBand, state }) => isInfiniBand && state === "active");
}
