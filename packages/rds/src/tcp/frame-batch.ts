import type { PeerSource, TcpStream } from "@verbena/core/sdk";

/** Bytes taken from the queues at once: what is in a batch is sent to its end, whatever is cancelled or becomes more urgent. */
const MAX_BATCH = 256 * 1024;
/** What one write takes. */
const MAX_SEGMENTS = 1024;
/** Frames up to this size are copied together: cheaper than a segment of each. */
const MAX_PACKED = 512;
/** Bytes for such frames: as many as one batch may have. */
export const PACK_SIZE = 64 * 1024;

/** Frames on their way into one connection: taken from the queues in batches, and each batch written to its end before the next one. */
export class FrameBatch {
  #segments: Uint8Array[] = [];
  /** Bytes of the first segment that the kernel has. */
  #skip = 0;
  #left = 0;

  constructor(
    private readonly source: PeerSource,
    /** Shared by all connections: it holds nothing between two calls. */
    private readonly pack: Buffer,
  ) {}

  /** Whether a part of a batch waits for the kernel to take it. */
  get isStuck(): boolean {
    return this.#left > 0;
  }

  /** Writes until the kernel takes no more, the queues are empty, or `budget` bytes are written. Gives the bytes written. Throws what the stream throws. */
  writeTo(stream: TcpStream, budget: number): number {
    let written = 0;
    while (written < budget) {
      if (this.#left === 0 && !this.#fill()) break;
      const took = stream.write(this.#segments, this.#skip);
      written += took;
      this.#left -= took;
      if (this.#left > 0) {
        this.#keep(took);
        break;
      }
      this.#segments = [];
      this.#skip = 0;
    }
    return written;
  }

  /** Frames that lie one behind the other in memory, as most do, are one segment; a small one that lies alone is packed. */
  #fill(): boolean {
    let packed = 0;
    let packStart = 0;
    const segments = this.#segments;
    const endPack = (): void => {
      if (packed > packStart) segments.push(this.pack.subarray(packStart, packed));
      packStart = packed;
    };
    let run: Buffer | undefined;
    let runStart = 0;
    let runEnd = 0;
    const endRun = (): void => {
      if (run === undefined) return;
      const whole = run.subarray(runStart, runEnd);
      if (whole.length <= MAX_PACKED) {
        this.pack.set(whole, packed);
        packed += whole.length;
      } else {
        endPack();
        segments.push(whole);
      }
    };
    while (this.#left < MAX_BATCH && segments.length < MAX_SEGMENTS - 4 && packed + 2 * MAX_PACKED <= PACK_SIZE) {
      const frame = this.source.next();
      if (frame === undefined) break;
      const { memory, start, size } = frame;
      this.#left += size;
      if (start !== runEnd || run !== memory) {
        endRun();
        run = memory;
        runStart = start;
      }
      runEnd = start + size;
    }
    endRun();
    endPack();
    return this.#left > 0;
  }

  /** The kernel has taken `took` bytes and wants no more now: what is in the shared memory moves to memory of its own. */
  #keep(took: number): void {
    let skip = this.#skip + took;
    let first = 0;
    for (
      let segment = this.#segments[first];
      segment !== undefined && skip >= segment.length;
      segment = this.#segments[first]
    ) {
      skip -= segment.length;
      first++;
    }
    this.#skip = skip;
    this.#segments = this.#segments
      .slice(first)
      .map((segment) => (segment.buffer === this.pack.buffer ? Uint8Array.from(segment) : segment));
  }
}
