/** A piece smaller than this part of its block is not worth the block. */
const WORTH = 1 / 4;

/** Who holds a piece of a block of memory. */
export interface Tenant {
  /** The piece; `undefined` once it is not needed any more. */
  readonly held: Buffer | undefined;
  /** A copy in memory of its own takes the piece's place. */
  move(copy: Buffer): void;
}

/**
 * Lets blocks go that are kept by a few small pieces. Pieces mostly go in the order in which they came, and their blocks with them; one that
 * stays while newer blocks of `maxBytes` together have come is moved into memory of its own.
 */
export class Stragglers {
  readonly #tenants = new Map<ArrayBufferLike, Tenant[]>();
  #bytes = 0;
  #newest: ArrayBufferLike | undefined;
  #ofNewest: Tenant[] = [];

  constructor(private readonly maxBytes: number) {}

  /** Something has got a piece that it may hold for long. */
  note(tenant: Tenant): void {
    const { held } = tenant;
    if (held === undefined || held.length >= held.buffer.byteLength * WORTH) return;
    if (held.buffer !== this.#newest) this.#select(held.buffer);
    this.#ofNewest.push(tenant);
  }

  /** The block has no pieces any more, and may get others. */
  forget(block: ArrayBufferLike): void {
    if (!this.#tenants.delete(block)) return;
    this.#bytes -= block.byteLength;
    if (block === this.#newest) this.#newest = undefined;
  }

  #select(block: ArrayBufferLike): void {
    const known = this.#tenants.get(block);
    this.#newest = block;
    this.#ofNewest = known ?? [];
    if (known !== undefined) return;
    this.#tenants.set(block, this.#ofNewest);
    this.#bytes += block.byteLength;
    for (const [oldest, tenants] of this.#tenants) {
      if (this.#bytes <= this.maxBytes || oldest === block) return;
      this.#tenants.delete(oldest);
      this.#bytes -= oldest.byteLength;
      for (const tenant of tenants) moveOut(tenant);
    }
  }
}

function moveOut(tenant: Tenant): void {
  const { held } = tenant;
  if (held === undefined) return;
  const copy = Buffer.allocUnsafeSlow(held.length);
  copy.set(held);
  tenant.move(copy);
}
