import type { FabricStatus, RouteResult } from "../control/protocol.js";
import { splitEnd } from "../topology/node-names.js";

/** A route hop by hop, a line each, in the form of `ibtracert`. */
export function routeText(status: Pick<FabricStatus, "nodes">, route: RouteResult): readonly string[] {
  const nodes = new Map(status.nodes.map((node) => [node.id, node]));
  const describe = (
    end: string,
  ): { readonly kind: string; readonly guid: string; readonly port: string; readonly rest: string } => {
    const { name, port } = splitEnd(end);
    const node = nodes.get(name);
    const at = node?.ports.find((one) => one.end === end);
    return {
      kind: node?.kind ?? "node",
      guid: at?.guid ?? node?.guid ?? "?",
      port: String(port ?? 0),
      rest: `lid ${String(at?.lid ?? 0)} "${printable(node?.description ?? name)}"`,
    };
  };
  const [first] = route.hops;
  const last = route.hops.at(-1);
  if (first === undefined || last === undefined) return [`LID ${String(route.slid)} to itself`];
  const [from, to] = [describe(first.from), describe(last.to)];
  return [
    `From ${from.kind} {${from.guid}} portnum ${from.port} ${from.rest}`,
    ...route.hops.map((hop) => {
      const into = describe(hop.to);
      return `[${describe(hop.from).port}] -> ${into.kind} port {${into.guid}}[${into.port}] ${into.rest}`;
    }),
    route.arrives
      ? `To ${to.kind} {${to.guid}} portnum ${to.port} ${to.rest}`
      : `Does not arrive: ${route.reason ?? "unknown"}`,
  ];
}

/** A NodeDescription is a stranger's text, and this goes to terminals. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, "?");
}
