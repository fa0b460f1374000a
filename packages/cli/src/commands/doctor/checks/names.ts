import { PKey } from "@verbena/ib";
import { type Check, type Finding, finding, skipped } from "../check.js";
import type { ConfigSeen, PortSeen } from "../probe.js";

type NameSeen = ConfigSeen["names"][number];

/** Whether the names of the configuration belong to ports and partitions that there are. */
export const names: Check = {
  id: "names",
  group: "addresses",
  title: "names of this host",
  async run(probe) {
    const [config, devices] = await Promise.all([probe.config(), probe.devices()]);
    if (config.names.length === 0) return skipped("none configured: the host name is used");
    if (devices.length === 0) return skipped("no device to have one");
    const ports = devices.flatMap((device) => device.ports);
    const wrong = config.names.flatMap((name): Finding[] => {
      const problem = problemOf(name, ports);
      if (problem === undefined) return [];
      const remedy = `correct ${name.where}, or write the file anew with \`verbena acme -A\``;
      return [finding("warn", problem, { subject: name.text, remedy })];
    });
    const good = config.names.length - wrong.length;
    const summary = `${String(good)} of ${String(config.names.length)} belong to ports of this host`;
    return [finding(good === 0 ? "fail" : "ok", summary), ...wrong];
  },
};

function problemOf({ device, port, pkey }: NameSeen, ports: readonly PortSeen[]): string | undefined {
  // ibacm compares device names without case.
  const ofDevice = ports.filter((one) => one.device.toLowerCase() === device.toLowerCase());
  if (ofDevice.length === 0) return `there is no device ${device}`;
  const found = ofDevice.find((one) => one.port === port);
  if (found === undefined) return `device ${device} has no port ${String(port)}`;
  if (found.state !== "active" || pkey === "default") return undefined;
  const wanted = PKey.from(pkey);
  if (found.pkeys.some((entry) => PKey.samePartition(PKey.from(entry), wanted))) return undefined;
  return `${device}/${String(port)} is not in partition ${PKey.format(wanted)}`;
}
