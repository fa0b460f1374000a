import { isInfiniBand } from "@verbena/core";
import { Gid, Rate } from "@verbena/ib";
import type { NativeServices, UmadPortInfo, VerbsContext } from "@verbena/native";
import type { DeviceSeen, PortSeen } from "../probe.js";
import { problemOf } from "./problem.js";

/** Devices and ports through libibverbs; those it cannot open or does not know through libibumad. */
export async function lookAtDevices(native: NativeServices): Promise<readonly DeviceSeen[]> {
  const known = tryList(() => native.umad.listPorts()).filter(({ port }) => port > 0);
  const found: DeviceSeen[] = [];
  for (const { name } of tryList(() => native.verbs.devices())) found.push(await throughVerbs(native, name, known));
  const others = new Set(known.map(({ device }) => device).filter((name) => !found.some((one) => one.name === name)));
  return [...found, ...[...others].map((name): DeviceSeen => ({ name, via: "umad", ports: portsOf(name, known) }))];
}

async function throughVerbs(native: NativeServices, name: string, known: readonly UmadPortInfo[]): Promise<DeviceSeen> {
  try {
    await using context = native.verbs.open(name);
    const { portCount, firmware } = context.queryDevice();
    const ports = Array.from({ length: portCount }, (_, index) => verbsPort(context, index + 1));
    return { name, via: "verbs", firmware, ports };
  } catch (error) {
    return { name, via: "umad", problem: problemOf(error), ports: portsOf(name, known) };
  }
}

function verbsPort(context: VerbsContext, port: number): PortSeen {
  const { state, linkLayer, lid, smLid, smSl, activeWidth, activeSpeed } = context.queryPort(port);
  const rate = Rate.fromWidthSpeed(activeWidth, activeSpeed);
  const rateGbps = rate === undefined ? undefined : Rate.toGbps(rate);
  return {
    device: context.device.name,
    port,
    state,
    linkLayer: linkLayer.toLowerCase(),
    isInfiniBand: isInfiniBand(linkLayer),
    lid,
    smLid,
    smSl,
    ...(rateGbps === undefined ? {} : { rateGbps }),
    gid: Gid.format(context.gids(port)[0] ?? Gid.zero),
    pkeys: context.pkeys(port),
  };
}

function portsOf(name: string, known: readonly UmadPortInfo[]): readonly PortSeen[] {
  return known
    .filter(({ device }) => device === name)
    .map(({ device, port, state, linkLayer, lid, smLid, smSl, rateGbps, gidPrefix, portGuid, pkeys }) => ({
      device,
      port,
      state,
      linkLayer: linkLayer.toLowerCase(),
      isInfiniBand: isInfiniBand(linkLayer),
      lid,
      smLid,
      smSl,
      rateGbps,
      gid: Gid.format(Gid.of(gidPrefix, portGuid)),
      pkeys,
    }));
}

/** A library that is not there lists nothing; the check of libraries says why. */
function tryList<T>(list: () => readonly T[]): readonly T[] {
  try {
    return list();
  } catch {
    return [];
  }
}
