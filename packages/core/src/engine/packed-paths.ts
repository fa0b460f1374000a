import { Gid, type Lid, type PathRecord } from "@verbena/ib";
import { PACKED_PATH_BYTES, PathForms } from "./path-forms.js";

const LIDS = 0x1_0000;
const FIRST_ROOM = 256;
const GROWTH = 1.25;

/** Many paths, one to a LID and one to a GID, each written once and never removed: what a file says. */
export class PackedPaths {
  readonly #forms = new PathForms();
  #bytes = Buffer.alloc(FIRST_ROOM * PACKED_PATH_BYTES);
  /** Those that cannot be packed, by their number. */
  readonly #objects = new Map<number, PathRecord>();
  /** Number + 1 of the path to a LID; 0: none. */
  readonly #byLid = new Uint32Array(LIDS);
  /** Number + 1 of paths at the place of their GID's hash or behind it; at most three quarters are in use. */
  #byGid = new Uint32Array(2 * FIRST_ROOM);
  #gids = 0;
  #count = 0;
  /** LIDs there is a path to. */
  size = 0;

  /** A path to the same LID or GID is replaced. */
  add(path: PathRecord): void {
    const number = this.#count;
    this.#count += 1;
    const at = number * PACKED_PATH_BYTES;
    if (at === this.#bytes.length) this.#grow();
    if (!this.#forms.write(path, this.#bytes, at)) this.#objects.set(number, path);
    if (this.#byLid[path.dlid] === 0) this.size += 1;
    this.#byLid[path.dlid] = number + 1;
    if ((this.#gids + 1) * 4 > this.#byGid.length * 3) this.#growIndex();
    const place = this.#place(path.dgid);
    if (this.#byGid[place] === 0) this.#gids += 1;
    this.#byGid[place] = number + 1;
  }

  toLid(lid: Lid): PathRecord | undefined {
    return this.#path((this.#byLid[lid] ?? 0) - 1);
  }

  toGid(gid: Gid): PathRecord | undefined {
    return this.#path((this.#byGid[this.#place(gid)] ?? 0) - 1);
  }

  /** One to each LID, by LID. */
  *all(): IterableIterator<PathRecord> {
    for (const entry of this.#byLid) {
      const path = this.#path(entry - 1);
      if (path !== undefined) yield path;
    }
  }

  #path(number: number): PathRecord | undefined {
    if (number < 0) return undefined;
    return this.#objects.get(number) ?? this.#forms.read(this.#bytes, number * PACKED_PATH_BYTES);
  }

  /** Where the GID is in the index, or would be. */
  #place(gid: Gid): number {
    const mask = this.#byGid.length - 1;
    for (let place = hashOf(gid) & mask; ; place = (place + 1) & mask) {
      const number = (this.#byGid[place] ?? 0) - 1;
      if (number < 0 || this.#gid(number) === gid) return place;
    }
  }

  #gid(number: number): Gid {
    return this.#objects.get(number)?.dgid ?? Gid.read(this.#bytes, number * PACKED_PATH_BYTES);
  }

  #grow(): void {
    const room = Math.ceil((this.#count * GROWTH) / FIRST_ROOM) * FIRST_ROOM;
    const bytes = Buffer.alloc(room * PACKED_PATH_BYTES);
    this.#bytes.copy(bytes);
    this.#bytes = bytes;
  }

  #growIndex(): void {
    const numbers = this.#byGid.filter((entry) => entry !== 0);
    this.#byGid = new Uint32Array(2 * this.#byGid.length);
    for (const entry of numbers) this.#byGid[this.#place(this.#gid(entry - 1))] = entry;
  }
}

/** GIDs of a fabric differ in their low half, often in its last bits alone. */
function hashOf(gid: Gid): number {
  const mixed = Math.imul(Number(gid & 0xffff_ffffn) ^ Number((gid >> 32n) & 0xffff_ffffn), 0x9e37_79b1);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
