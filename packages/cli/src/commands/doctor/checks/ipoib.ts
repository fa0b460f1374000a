import { PKey } from "@verbena/ib";
import { type Check, type Finding, finding, skipped } from "../check.js";
import type { AddressSeen, InterfaceSeen, PortSeen, Probe } from "../probe.js";
import { activePorts, portName } from "./port-name.js";

/** The IPoIB interface and its addresses of every active port: without them no IP address leads to or from it. */
export const ipoib: Check = {
  id: "ipoib",
  group: "addresses",
  title: "IP addresses",
  async run(probe) {
    const active = activePorts(await probe.devices());
    if (active.length === 0) return skipped("no active InfiniBand port");
    const [addresses, interfaces] = await Promise.all([probe.addresses(), probe.interfaces()]);
    return active.flatMap((port) => describe(port, addresses, interfaces, probe.fabric));
  },
};

function describe(
  port: PortSeen,
  addresses: readonly AddressSeen[],
  interfaces: readonly InterfaceSeen[],
  fabric: Probe["fabric"],
): readonly Finding[] {
  const subject = portName(port);
  const own = addresses.filter(({ gid }) => gid === port.gid);
  const bare = interfaces.filter(
    ({ name, gid }) => gid === port.gid && !own.some(({ interfaceName }) => interfaceName === name),
  );
  const findings = [...own.map((address) => found(address, subject)), ...bare.map((one) => without(one, subject))];
  if (findings.length > 0) return findings;
  const remedy = fabric
    ? `give it one with \`verbena sim ctl --dir ${fabric.dir} addr add ${fabric.node} IP/PREFIX\``
    : "run `modprobe ib_ipoib` and give the interface an address: `ip addr add ADDRESS/PREFIX dev ib0`";
  return [finding("warn", "none: IP addresses do not lead here; names, GIDs and LIDs do", { subject, remedy })];
}

function found({ address, prefixLength, interfaceName, pkey }: AddressSeen, subject: string): Finding {
  const on = interfaceName === undefined ? "" : ` on ${interfaceName}`;
  return finding("ok", `${address}/${String(prefixLength)}${on}, P_Key ${PKey.format(PKey.from(pkey))}`, { subject });
}

function without({ name, isUp }: InterfaceSeen, subject: string): Finding {
  const remedy = `run \`ip addr add ADDRESS/PREFIX dev ${name}\`${isUp ? "" : ` and \`ip link set ${name} up\``}`;
  return finding("warn", `${name} has no address`, { subject, remedy });
}
