import { dataFrameSize, writeDataFrame } from "./messages.js";

/** Frames are written to a program in blocks of this many bytes: a write costs far more than the copy. */
const BLOCK_SIZE = 64 * 1024;

/** Collects the data packets for one program during a turn of the event loop, and writes them together. */
export class DataOutbox {
  #block: Buffer | undefined;
  #used = 0;

  /** `write` gets blocks of whole frames; it must not fail after the program has gone. */
  constructor(private readonly write: (frames: Buffer) => void) {}

  /** Adds a packet that arrived at a port of an HCA; it goes at the end of this turn, after everything that was read. */
  push(hcaIndex: number, portNumber: number, packet: Buffer): void {
    const size = dataFrameSize(packet);
    if (this.#used + size > BLOCK_SIZE) this.#flush();
    if (this.#block === undefined) {
      this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK_SIZE, size));
      setImmediate(() => {
        this.#flush();
      });
    }
    writeDataFrame(this.#block, this.#used, hcaIndex, portNumber, packet);
    this.#used += size;
  }

  #flush(): void {
    const block = this.#block;
    if (block === undefined) return;
    const frames = block.subarray(0, this.#used);
    this.#block = undefined;
    this.#used = 0;
    // A few small packets must not keep a whole block alive while they wait in the socket.
    this.write(frames.length < BLOCK_SIZE / 2 ? Buffer.from(frames) : frames);
  }
}
