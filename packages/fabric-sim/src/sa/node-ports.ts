import type { FabricPort } from "../fabric/port.js";
import type { Subnet } from "../sm/subnet.js";

/** The ports with a LID, node by node in the order of the node table. */
export function nodeEndPorts(subnet: Subnet): readonly FabricPort[] {
  const known = new Set(subnet.endPorts);
  return subnet.nodes.flatMap((node) => node.endPorts.filter((port) => known.has(port)));
}

/** All ports of the subnet, a switch's external ports included, each with the port whose LID it goes by. */
export function allPorts(subnet: Subnet): readonly { readonly port: FabricPort; readonly owner: FabricPort }[] {
  const known = new Set(subnet.endPorts);
  return subnet.nodes.flatMap((node) => {
    const [zero] = node.ports;
    if (node.kind === "switch") return zero === undefined ? [] : node.ports.map((port) => ({ port, owner: zero }));
    return node.ports.filter((port) => known.has(port)).map((port) => ({ port, owner: port }));
  });
}
