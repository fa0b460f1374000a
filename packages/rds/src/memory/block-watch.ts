/** Blocks that are told from new ones. */
const MAX_KNOWN = 64;

/** Says when so many bytes of new blocks have come that pieces of old ones, which keep those whole, are worth being moved out. */
export class BlockWatch {
  readonly #known = new Set<object>();
  #newest: object | undefined;
  #bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly onMany: () => void,
  ) {}

  /** Somebody holds a piece from now on. Most are of the same block as the one before. `block` is what is the same for all pieces of one. */
  note(piece: Buffer, block: object = piece.buffer): void {
    if (block === this.#newest || !isSmallPart(piece)) return;
    this.#newest = block;
    if (this.#known.has(block)) return;
    this.#known.add(block);
    this.grew(piece.buffer.byteLength);
    if (this.#known.size > MAX_KNOWN) this.#known.clear();
  }

  /** A block of so many bytes has come. */
  grew(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.maxBytes) return;
    this.#bytes = 0;
    this.#known.clear();
    this.#newest = undefined;
    this.onMany();
  }
}

/** Whether a piece is not worth the block that it keeps. */
export function isSmallPart(piece: Buffer): boolean {
  return piece.length > 0 && piece.length < piece.buffer.byteLength / 4;
}

/** The same bytes in memory of their own. */
export function movedOut(piece: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(piece.length);
  copy.set(piece);
  return copy;
}
