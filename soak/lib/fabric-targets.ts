import type { FabricStatus } from "@verbena/fabric-sim";

/** What may be broken: hosts whose links, LIDs and packets are anybody's, and the links between switches. */
export interface Targets {
  readonly hosts: readonly string[];
  readonly spines: readonly string[];
  /** One end of each link between switches. */
  readonly trunks: readonly string[];
  /** Hosts between which the built-in manager moves. */
  readonly managers: readonly string[];
  /** Addresses that move, and the hosts between which they do. */
  readonly moving: { readonly ips: readonly string[]; readonly hosts: readonly string[] };
  /** GUIDs of aliases that come to hosts and leave them. */
  readonly aliases: readonly string[];
}

/** Everything but the managers' hosts. */
export function targetsOf(
  { nodes }: FabricStatus,
  { managers, moving, aliases }: Pick<Targets, "managers" | "moving" | "aliases">,
): Targets {
  const switches = new Set(nodes.filter(({ kind }) => kind === "switch").map(({ id }) => id));
  const isSwitch = (end: string | undefined): boolean => end !== undefined && switches.has(end.replace(/\[\d+\]$/, ""));
  const hosts = nodes.filter(({ kind, id }) => kind === "ca" && !managers.includes(id)).map(({ id }) => id);
  const isSpine = ({ id, ports }: FabricStatus["nodes"][number]): boolean =>
    switches.has(id) && ports.every(({ peer }) => isSwitch(peer));
  const spines = nodes.filter(isSpine);
  return {
    hosts,
    spines: spines.map(({ id }) => id),
    trunks: spines.flatMap(({ ports }) => ports.map(({ end }) => end)),
    managers,
    moving,
    aliases,
  };
}
