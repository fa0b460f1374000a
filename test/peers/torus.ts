import { Guid } from "@verbena/ib";

/** A torus of two dimensions as our simulator reads it, and as OpenSM's routing engine torus-2QoS is told of it. */
export interface Torus {
  readonly topology: string;
  /** Text of a torus-2QoS.conf. */
  readonly config: string;
}

/** Of the first switch; the others follow. */
const FIRST_GUID = 0x0002_c903_0020_0000n;
/** Ports of a switch: to its neighbours, and to its host. */
const PORT = { right: 1, left: 2, up: 3, down: 4, host: 5 } as const;

/**
 * So many switches in a ring in each direction, with one host on each: `H1` at (0, 0), `H2` at (1, 0), the next row after the last of a
 * row. A ring of four would need more to tell right from left. Dates change between the last and the first of a ring.
 */
export function torus(radix: number): Torus {
  const number = (x: number, y: number): number => 1 + ((x + radix) % radix) + radix * ((y + radix) % radix);
  const guid = (n: number): string => Guid.format(Guid.from(FIRST_GUID + BigInt(16 * n)));
  const nodes = Array.from({ length: radix * radix }, (_, i) => {
    const [x, y] = [i % radix, Math.floor(i / radix)];
    const n = number(x, y);
    return [
      `switchguid=${guid(n)}`,
      `Switch\t5 "S${n}"\t\t# "S${n}" base port 0`,
      `[${PORT.right}]\t"S${number(x + 1, y)}"[${PORT.left}]`,
      `[${PORT.left}]\t"S${number(x - 1, y)}"[${PORT.right}]`,
      `[${PORT.up}]\t"S${number(x, y + 1)}"[${PORT.down}]`,
      `[${PORT.down}]\t"S${number(x, y - 1)}"[${PORT.up}]`,
      `[${PORT.host}]\t"H${n}"[1]`,
      "",
      `Hca\t1 "H${n}"\t\t# "H${n}"`,
      `[1]\t"S${n}"[${PORT.host}]`,
    ].join("\n");
  });
  return {
    topology: `${nodes.join("\n\n")}\n`,
    config: [
      `torus ${radix} ${radix} 1`,
      `xp_link ${guid(number(0, 0))} ${guid(number(1, 0))}`,
      `yp_link ${guid(number(0, 0))} ${guid(number(0, 1))}`,
      "",
    ].join("\n"),
  };
}
