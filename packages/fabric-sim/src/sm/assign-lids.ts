import { Lid } from "@verbena/ib";
import type { FabricPort } from "../fabric/port.js";

/**
 * Gives every end port a base LID, a multiple of 2^lmc. A port keeps the LID it has, else gets the one the topology file names,
 * else the lowest free one; the subnet manager's own port chooses first. Returns the ports whose LID or LMC changed.
 *
 * @param taken LIDs of ports that are out of reach and may come back with them
 */
export function assignLids(
  endPorts: readonly FabricPort[],
  smPort: FabricPort,
  lmcOf: (port: FabricPort) => number,
  taken: ReadonlySet<number> = new Set(),
): readonly FabricPort[] {
  const used = new Set(taken);
  const changed: FabricPort[] = [];
  const waiting: FabricPort[] = [];
  const claim = (port: FabricPort, lid: number, lmc: number): boolean => {
    const count = 1 << lmc;
    if (lid === 0 || lid % count !== 0 || lid + count - 1 > Lid.UNICAST_MAX) return false;
    for (let one = lid; one < lid + count; one++) if (used.has(one)) return false;
    for (let one = lid; one < lid + count; one++) used.add(one);
    if (port.lid !== lid || port.lmc !== lmc) changed.push(port);
    port.lid = Lid.from(lid);
    port.lmc = lmc;
    return true;
  };
  const inOrder = [smPort, ...endPorts.filter((port) => port !== smPort)];
  for (const port of inOrder) {
    const lmc = lmcOf(port);
    if (!claim(port, port.lid, lmc) && (port.lid !== 0 || !claim(port, port.wantedLid, lmc))) waiting.push(port);
  }
  let next = 1;
  for (const port of waiting) {
    const lmc = lmcOf(port);
    const count = 1 << lmc;
    let lid = lmc === 0 ? next : Math.ceil(next / count) * count;
    while (lid <= Lid.UNICAST_MAX && !claim(port, lid, lmc)) lid += count;
    if (lmc === 0) next = lid + 1;
  }
  return changed;
}
