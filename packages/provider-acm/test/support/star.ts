/** Hosts of the given speeds on one switch that is as fast as any. */
export function star(speeds: readonly (readonly [node: string, speed: string])[], width = "4x"): string {
  const ports = speeds.map(([node], i) => `[${String(i + 1)}]\t"${node}"[1]\n`).join("");
  const hosts = speeds
    .map(([node, speed], i) => `speed=${speed}\nHca\t1 "${node}"\t\t# "${node}"\n[1]\t"S"[${String(i + 1)}]\n`)
    .join("\n");
  return `width=${width}\nmtu=4096\nspeed=XDR\nSwitch\t${String(speeds.length)} "S"\t\t# "star" base port 0\n${ports}\n${hosts}`;
}
