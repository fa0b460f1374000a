import type {
  AddressMessage,
  ControlRequest,
  CountersResult,
  FabricStatus,
  FaultStatus,
  PathsResult,
  PortStatus,
  RouteResult,
} from "@verbena/fabric-sim";
import { Mtu, Rate } from "@verbena/ib";
import { renderTable } from "../../output/table.js";

/** The answer to a control request as text. */
export function describeResult(request: ControlRequest, result: unknown): string {
  switch (request.op) {
    case "status":
      return describeStatus(result as FabricStatus);
    case "route":
    case "routes":
      return describeRoute(result as RouteResult);
    case "counters":
      return describeCounters(result as CountersResult);
    case "paths":
      return pathTable(result as PathsResult);
    case "gid":
      return table((result as { gids: readonly string[] }).gids);
    case "pkey":
      return table((result as { pkeys: readonly string[] }).pkeys);
    case "trap":
      return (result as { sent: boolean }).sent ? "sent\n" : "not sent: the node knows no subnet manager\n";
    case "topology":
      return (result as { text: string }).text;
    case "link":
      return portTable((result as { ports: readonly PortStatus[] }).ports);
    case "fault":
      return describeFaults((result as { faults: readonly FaultStatus[] }).faults);
    case "addresses":
      return describeAddresses((result as { addresses: readonly AddressMessage[] }).addresses);
    case "lid":
      return portTable([(result as { port: PortStatus }).port]);
    default:
      return "ok\n";
  }
}

function describeStatus(status: FabricStatus): string {
  const { hosts, switches, links, linksDown, multicastGroups, addresses } = status.counts;
  return [
    `fabric in ${status.dir}: ${String(hosts)} hosts, ${String(switches)} switches, ${String(links)} links (${String(linksDown)} down)`,
    `${describeManager(status)}; ${String(multicastGroups)} multicast groups, ${String(addresses)} addresses, ${String(status.programs.length)} programs attached`,
    portTable(status.nodes.flatMap(({ ports }) => ports)),
  ].join("\n");
}

function describeManager({ management, sm, sa }: FabricStatus): string {
  if (sm.lid === 0) return "no subnet manager yet";
  const where = `${sm.end}, LID ${String(sm.lid)}`;
  return management === "opensm" ? `OpenSM on ${where}` : `subnet manager ${where}; SA ${sa.mode}`;
}

function describeFaults(faults: readonly FaultStatus[]): string {
  const rows = faults.map(
    ({ end = "all", lossPercent, delayMs, jitterMs, duplicatePercent, reorderPercent, traffic = "all" }) => [
      end,
      ...[lossPercent, delayMs, jitterMs, duplicatePercent, reorderPercent].map(String),
      traffic,
    ],
  );
  return renderTable(["port", "loss %", "delay ms", "jitter ms", "duplicate %", "reorder %", "traffic"], rows);
}

function describeAddresses(addresses: readonly AddressMessage[]): string {
  const rows = addresses.map(({ node, port, address, prefixLength, pkey, gid }) => [
    `${node}[${String(port)}]`,
    `${address}/${String(prefixLength)}`,
    pkey,
    gid,
  ]);
  return renderTable(["port", "address", "P_Key", "GID"], rows);
}

function portTable(ports: readonly PortStatus[]): string {
  return renderTable(
    ["port", "peer", "state", "rate", "LID", "GUID"],
    ports.map(({ end, peer, state, rate, lid, guid }) => [end, peer ?? "-", state, rate, String(lid), guid]),
  );
}

function table(entries: readonly string[]): string {
  return entries.map((entry, index) => `${String(index).padStart(3)}  ${entry}\n`).join("");
}

function pathTable({ paths }: PathsResult): string {
  const rows = paths.map(({ from, to, slid, dlid, mtu, rate, pkeys }) => [
    from,
    to,
    String(slid),
    String(dlid),
    String(Mtu.toBytes(Mtu.from(mtu))),
    String(Rate.toGbps(Rate.from(rate)) ?? rate),
    pkeys.join(" "),
  ]);
  return renderTable(["from", "to", "SLID", "DLID", "MTU", "Gb/s", "P_Keys"], rows);
}

/** `H1[1] -> L1[1]  L1[9] -> S1[1] …`, one hop a line. */
export function describeRoute(route: RouteResult): string {
  const lines = route.hops.map(({ from, to }, index) => `${String(index + 1).padStart(3)}  ${from} -> ${to}`);
  const end = route.arrives ? "arrives" : `does not arrive: ${route.reason ?? "unknown"}`;
  return [`LID ${String(route.slid)} to LID ${String(route.dlid)}`, ...lines, `     ${end}`, ""].join("\n");
}

function describeCounters({ sa, saUnanswered, saBusy, reports }: CountersResult): string {
  const rows = sa.map((counter) => Object.values(counter).map(String));
  const header = Object.keys(sa[0] ?? { attribute: "", method: "", count: 0 });
  const { sent, acknowledged, unanswered } = reports;
  return [
    renderTable(header, rows),
    `unanswered ${String(saUnanswered)}, busy ${String(saBusy)}`,
    `reports ${String(sent)}, acknowledged ${String(acknowledged)}, given up ${String(unanswered)}`,
    "",
  ].join("\n");
}
