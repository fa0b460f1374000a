import type { NodeKind } from "./model.js";
import type { GuidBase } from "./parse-attribute-line.js";

/** The bases from which ibsim counts, so that both simulators give a file without GUIDs the same ones. */
const FIRST: Readonly<Record<NodeKind, bigint>> = { ca: 0x100000n, switch: 0x200000n, router: 0x300000n };

/** Gives GUIDs to nodes in file order, as ibsim does: a switch takes one, other nodes one and one more for each port. */
export class GuidAllocator {
  readonly #absolute: Record<NodeKind, bigint> = { ...FIRST };
  readonly #next: Record<NodeKind, bigint> = { ...FIRST };

  /** Goes on from a base that the file names. */
  rebase(kind: NodeKind, { value, relative }: GuidBase): void {
    if (!relative) this.#absolute[kind] = value;
    this.#next[kind] = relative ? this.#absolute[kind] + value : value;
  }

  /** The GUID of the next node; its port `n` has that plus `n`. */
  take(kind: NodeKind, portCount: number): bigint {
    const guid = this.#next[kind];
    this.#next[kind] += kind === "switch" ? 1n : BigInt(portCount + 1);
    return guid;
  }
}
