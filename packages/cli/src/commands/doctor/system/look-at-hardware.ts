import type { NativeServices } from "@verbena/native";
import type { UmadSeen } from "../probe.js";
import { askSa } from "./ask-sa.js";
import { lookAtAddresses } from "./look-at-addresses.js";
import { lookAtDevices } from "./look-at-devices.js";
import { lookAtLibraries } from "./look-at-libraries.js";
import type { LookSections } from "./look-message.js";
import { problemOf } from "./problem.js";

/** Reports one section. */
export type Tell = <K extends keyof LookSections>(section: K, value: Promise<LookSections[K]>) => Promise<void>;

/** Looks at everything native, section by section. A call that hangs or crashes takes with it what comes after it. */
export async function lookAtHardware(native: NativeServices, patienceMs: number, tell: Tell): Promise<void> {
  await tell("libraries", Promise.resolve(lookAtLibraries(native)));
  const devices = await lookAtDevices(native);
  await tell("devices", Promise.resolve(devices));
  const ports = devices.flatMap((device) => device.ports).filter(({ isInfiniBand }) => isInfiniBand);
  const opened: UmadSeen[] = [];
  for (const port of ports) opened.push(await tryOpen(native, port));
  await tell("umad", Promise.resolve(opened));
  const active = ports.filter(({ state }) => state === "active");
  await Promise.all([
    tell("sa", Promise.all(active.map((port) => askSa(native.umad, port, patienceMs)))),
    tell("addresses", lookAtAddresses(native, patienceMs)),
  ]);
}

async function tryOpen(native: NativeServices, { device, port }: UmadSeen): Promise<UmadSeen> {
  try {
    await native.umad.openPort(device, port).close();
    return { device, port };
  } catch (error) {
    return { device, port, problem: problemOf(error) };
  }
}
