import type { FabricStatus, PortStatus, RouteResult } from "../control/protocol.js";
import { splitEnd } from "../topology/node-names.js";

/** A route hop by hop, a line each, in the form of `ibtracert`. */
export function routeText(status: Pick<FabricStatus, "nodes">, route: RouteResult): readonly string[] {
  const nodes = new Map(status.nodes.map((node) => [node.id, node]));
  const describe = (
    end: string,
  ): {
    readonly kind: string;
    readonly guid: string;
    readonly nodeGuid: string;
    readonly port: string;
    readonly rest: string;
  } => {
    const { name, port } = splitEnd(end);
    const node = nodes.get(name);
    const at = node?.ports.find((one) => one.end === end);
    return {
      kind: node?.kind ?? "node",
      guid: at?.guid ?? node?.guid ?? "?",
      nodeGuid: node?.guid ?? "?",
      port: String(port ?? 0),
      rest: `lid ${lids(at)} "${printable(node?.description ?? name)}"`,
    };
  };
  const [first] = route.hops;
  const last = route.hops.at(-1);
  if (first === undefined || last === undefined) return [`LID ${String(route.slid)} to itself`];
  const [from, to] = [describe(first.from), describe(last.to)];
  return [
    `From ${from.kind} {${from.nodeGuid}} portnum ${from.port} ${from.rest}`,
    ...route.hops.map((hop) => {
      const into = describe(hop.to);
      return `[${describe(hop.from).port}] -> ${into.kind} port {${into.guid}}[${into.port}] ${into.rest}`;
    }),
    route.arrives
      ? `To ${to.kind} {${to.nodeGuid}} portnum ${to.port} ${to.rest}`
      : `Does not arrive: ${route.reason ?? "unknown"}`,
  ];
}

/** A NodeDescription is a stranger's text, and this goes to terminals. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, "?");
}

/** `4-7`: the first and the last LID of a port. */
function lids(port: PortStatus | undefined): string {
  const { lid, lmc } = port ?? { lid: 0, lmc: 0 };
  return `${String(lid)}-${String(lid + (1 << lmc) - 1)}`;
}
