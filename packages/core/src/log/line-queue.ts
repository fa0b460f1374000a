import type { LogOutlet } from "./outlet.js";

/** Bytes of lines that may wait for a slow disk or reader. */
export const QUEUE_BYTES = 1_048_576;
/** Bytes handed over at once. */
const CHUNK_BYTES = 65_536;
const NEWLINE = 0x0a;

interface Queued {
  readonly bytes: Buffer;
  /** Lost lines that this line tells of; it is not one of the log itself then. */
  readonly tells: number;
}

/**
 * Hands lines to an outlet, in order and one write at a time. Lines for which there is no room, and those that the outlet could not
 * take, are counted; a line with their number goes where they are missing, as soon as something can be written again.
 */
export class LineQueue {
  readonly #outlet: LogOutlet;
  readonly #tell: (lost: number) => string;
  #queue: Queued[] = [];
  #bytes = 0;
  #lost = 0;
  #isWriting = false;
  #isTorn = false;
  #isClosed = false;
  #whenIdle: (() => void)[] = [];

  /** `after`: until then lines are kept, as if one were being written. */
  constructor(outlet: LogOutlet, tell: (lost: number) => string, after?: Promise<void>) {
    this.#outlet = outlet;
    this.#tell = tell;
    this.#isWriting = after !== undefined;
    void after?.then(() => {
      this.#isWriting = false;
      this.#goOn();
    });
  }

  /** Takes a line with its end. */
  write(line: string): void {
    if (this.#isClosed) return;
    const bytes = Buffer.from(line);
    if (this.#bytes + bytes.length > QUEUE_BYTES) {
      this.#lost += 1;
      return;
    }
    this.#tellOfLost();
    this.#push({ bytes, tells: 0 });
    this.#next();
  }

  /** Resolves when nothing waits any more. */
  idle(): Promise<void> {
    if (!this.#isWriting) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  /** Takes no more lines; closes the outlet when it has those that wait. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (!this.#isWriting) this.#outlet.close();
  }

  /** Drops what waits, and what is being written where that is possible. */
  abandon(): void {
    if (this.#isClosed && !this.#isWriting) return;
    this.#isClosed = true;
    this.#lost = 0;
    this.#queue = [];
    this.#bytes = 0;
    this.#outlet.abandon();
  }

  #push(queued: Queued): void {
    this.#queue.push(queued);
    this.#bytes += queued.bytes.length;
  }

  #tellOfLost(): void {
    if (this.#lost === 0) return;
    this.#push({ bytes: Buffer.from(this.#tell(this.#lost)), tells: this.#lost });
    this.#lost = 0;
  }

  #next(): void {
    if (this.#isWriting || this.#queue.length === 0) return;
    const chunk = this.#takeChunk();
    // What a full disk cut off is no line; the next one must not be lost in it.
    const start = this.#isTorn ? 1 : 0;
    const parts = chunk.map(({ bytes }) => bytes);
    const all = Buffer.concat(start === 0 ? parts : [Buffer.of(NEWLINE), ...parts]);
    this.#isWriting = true;
    this.#outlet.write(all, (error, taken) => {
      this.#isWriting = false;
      if (error !== null) this.#countLost(chunk, taken - start);
      if (taken > 0) this.#isTorn = all[taken - 1] !== NEWLINE;
      if (error === null && this.#queue.length === 0) this.#tellOfLost();
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#queue.length > 0) this.#next();
    else this.#rest();
  }

  #takeChunk(): readonly Queued[] {
    let [count, bytes] = [0, 0];
    for (const queued of this.#queue) {
      if (count > 0 && bytes + queued.bytes.length > CHUNK_BYTES) break;
      count += 1;
      bytes += queued.bytes.length;
    }
    this.#bytes -= bytes;
    return this.#queue.splice(0, count);
  }

  #countLost(chunk: readonly Queued[], taken: number): void {
    let end = 0;
    for (const { bytes, tells } of chunk) {
      end += bytes.length;
      if (end > taken) this.#lost += tells === 0 ? 1 : tells;
    }
  }

  #rest(): void {
    for (const resolve of this.#whenIdle.splice(0)) resolve();
    if (this.#isClosed) this.#outlet.close();
  }
}
