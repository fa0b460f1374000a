import type { Guid, Lid } from "@verbena/ib";

/** Unicast LIDs end below this. */
const LID_LIMIT = 0xc000;
const FIRST_ROOM = 1_024;

/** Port GUIDs by unicast LID. */
export class PortGuids {
  readonly #halves = new Uint32Array(2 * LID_LIMIT);

  has(lid: number): boolean {
    return this.#halves[2 * lid] !== 0 || this.#halves[2 * lid + 1] !== 0;
  }

  set(lid: number, high: number, low: number): void {
    this.#halves[2 * lid] = high;
    this.#halves[2 * lid + 1] = low;
  }

  /** 0: none. */
  get(lid: number): Guid {
    const low = BigInt(this.#halves[2 * lid + 1] ?? 0);
    return ((BigInt(this.#halves[2 * lid] ?? 0) << 32n) | low) as Guid;
  }
}

/** Source ports of a dump, and where their blocks begin: 20 bytes each. */
export class BlockList {
  #ports = new Uint32Array(3 * FIRST_ROOM);
  #offsets = new Float64Array(FIRST_ROOM);
  length = 0;

  add(guidHigh: number, guidLow: number, lid: number, offset: number): void {
    if (this.length === this.#offsets.length) this.#grow();
    this.#ports.set([guidHigh, guidLow, lid], 3 * this.length);
    this.#offsets[this.length] = offset;
    this.length += 1;
  }

  /** Where the first line behind the header begins; the first block of this port counts. */
  find(guid: Guid, lid: Lid): number | undefined {
    const [high, low] = [Number(guid >> 32n), Number(guid & 0xffff_ffffn)];
    for (let n = 0; n < this.length; n += 1) {
      const at = 3 * n;
      if (this.#ports[at] === high && this.#ports[at + 1] === low && this.#ports[at + 2] === lid)
        return this.#offsets[n];
    }
    return undefined;
  }

  #grow(): void {
    const [ports, offsets] = [this.#ports, this.#offsets];
    this.#ports = new Uint32Array(2 * ports.length);
    this.#ports.set(ports);
    this.#offsets = new Float64Array(2 * offsets.length);
    this.#offsets.set(offsets);
  }
}
