import { type NodeStatus, SimControlClient } from "@verbena/fabric-sim";

/** Ports of the switches in one group: `S1[2]`. */
type Branches = ReadonlySet<string>;

/** Waits until the trees of so many multicast groups reach all these hosts: a manager answers a join before it has written the tree. */
export async function groupsReach(dir: string, hosts: readonly string[], count = 1): Promise<void> {
  await using control = await SimControlClient.connect(dir);
  const { nodes } = await control.request({ op: "status" });
  const groups = new Map<number, Map<string, readonly number[]>>();
  for await (const entry of SimControlClient.watchEvents(dir)) {
    const changes = entry.type === "snapshot" ? entry.tables : entry.type === "tables" ? [entry.tables] : [];
    for (const { node, groups: written } of changes) {
      for (const [mlid, ports] of written) groups.set(mlid, new Map([...(groups.get(mlid) ?? []), [node, ports]]));
    }
    const whole = [...groups.values()].filter((ports) => isConnected(nodes, branchesOf(ports), hosts));
    if (whole.length >= count) return;
  }
}

function branchesOf(ports: ReadonlyMap<string, readonly number[]>): Branches {
  return new Set([...ports].flatMap(([node, numbers]) => numbers.map((number) => `${node}[${number}]`)));
}

/** Walks from the first host's switch along ports of the group. */
function isConnected(nodes: readonly NodeStatus[], branches: Branches, hosts: readonly string[]): boolean {
  const ports = new Map(nodes.flatMap((node) => node.ports.map((port) => [port.end, { node, port }] as const)));
  const leaf = ports.get(`${hosts[0]}[1]`)?.port.peer;
  const reached = new Set<string>();
  const ahead = [ports.get(leaf ?? "")?.node];
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    if (reached.has(at.id)) continue;
    reached.add(at.id);
    if (at.kind !== "switch") continue;
    for (const { end, peer } of at.ports) if (branches.has(end)) ahead.push(ports.get(peer ?? "")?.node);
  }
  return hosts.every((host) => reached.has(host));
}
