import { Guid, Mtu, PKey } from "@verbena/ib";
import { formatLinkRate, type LinkRate, masksUpTo, negotiate } from "./link-speed.js";
import { type Topology, type TopologyNode, type TopologyPort, topologyPort } from "./model.js";

/**
 * Writes a topology as an ibsim net file, which ibsim reads too (it knows speeds up to QDR and takes no notice of the rest).
 * `parseTopology` of the result gives an equal topology, except that the enabled widths and speeds of a cabled port become
 * those up to the rate of its link, and those of ports without a cable the defaults.
 */
export function formatTopology(topology: Topology): string {
  const byId = new Map(topology.nodes.map((node) => [node.id, node]));
  return topology.nodes.map((node) => formatNode(node, byId)).join("\n");
}

const WORD = { switch: "Switch", ca: "Hca", router: "Rt" } as const;
const GUID_WORD = { switch: "switchguid", ca: "caguid", router: "rtguid" } as const;

function formatNode(node: TopologyNode, byId: ReadonlyMap<string, TopologyNode>): string {
  const head: string[] = [
    `vendid=0x${node.vendorId.toString(16)}`,
    `devid=0x${node.deviceId.toString(16)}`,
    `sysimgguid=${Guid.format(node.systemImageGuid)}`,
  ];
  if (node.pkeys.length !== 1 || node.pkeys[0] !== PKey.DEFAULT)
    head.push(`pkeys=${node.pkeys.map((pkey) => PKey.format(pkey)).join(",")}`);
  const first = node.ports[0];
  const portZero = node.kind === "switch" ? first : undefined;
  const portGuid = portZero === undefined || portZero.guid === node.nodeGuid ? "" : `(${portZero.guid.toString(16)})`;
  const mtu = bytesOf(node.ports.find((port) => port.number > 0));
  head.push(`mtu=${mtu}`, `${GUID_WORD[node.kind]}=${Guid.format(node.nodeGuid)}${portGuid}`);
  const lid = portZero === undefined ? "" : ` base port 0${lidText(portZero)}${mtuText(portZero, mtu)}`;
  head.push(`${WORD[node.kind]}\t${node.portCount} "${node.id}"\t\t# "${node.description}"${lid}`);
  const ports = node.ports.filter((port) => port.remote !== undefined).map((port) => formatPort(node, port, mtu, byId));
  return `${[...head, ...ports].join("\n")}\n`;
}

function lidText(port: TopologyPort): string {
  return port.lid === undefined ? (port.lmc === 0 ? "" : ` lmc ${port.lmc}`) : ` lid ${port.lid} lmc ${port.lmc}`;
}

function bytesOf(port: TopologyPort | undefined): number {
  return Mtu.toBytes(port?.mtu ?? Mtu.MTU_2048) ?? 2048;
}

function mtuText(port: TopologyPort, nodeMtu: number): string {
  const mtu = bytesOf(port);
  return mtu === nodeMtu ? "" : ` mtu ${mtu}`;
}

function formatPort(
  node: TopologyNode,
  port: TopologyPort,
  nodeMtu: number,
  byId: ReadonlyMap<string, TopologyNode>,
): string {
  const remote = port.remote ?? { node: "", port: 0 };
  const guid =
    node.kind !== "switch" && port.guid !== node.nodeGuid + BigInt(port.number) ? `(${port.guid.toString(16)})` : "";
  const neighbour = byId.get(remote.node);
  const there = neighbour === undefined ? undefined : topologyPort(neighbour, remote.port);
  const rate = negotiate(port, there ?? port);
  const comment = [
    node.kind === "switch" ? "" : lidText(port).trim(),
    `"${neighbour?.description ?? remote.node}"`,
    rate === undefined ? "" : formatLinkRate(rate),
    mtuText(port, nodeMtu).trim(),
  ].filter((part) => part !== "");
  return `[${port.number}]${guid}\t"${remote.node}"[${remote.port}]${maskOptions(port, rate)}\t\t# ${comment.join(" ")}`;
}

/** ibsim knows no comment rates: it needs masks for what is not its default, and cannot take those above QDR. */
function maskOptions(port: TopologyPort, rate: LinkRate | undefined): string {
  if (rate === undefined || rate.speed > 4) return "";
  const masks = masksUpTo(rate);
  const widths = port.widths === masks.widths ? "" : ` w=${port.widths}`;
  const speeds = port.speeds === masks.speeds ? "" : ` s=${port.speeds}`;
  return `${widths}${speeds}`;
}
