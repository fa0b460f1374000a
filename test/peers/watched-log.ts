import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The log of another program, as far as it has come; readers wait until it says something. */
export class WatchedLog {
  readonly #lines: string[] = [];
  readonly #looking = new Set<() => void>();
  #hasEnded = false;

  constructor(stream: Readable) {
    createInterface({ input: stream })
      .on("line", (line) => {
        this.#lines.push(line);
        this.#look();
      })
      .once("close", () => {
        this.#hasEnded = true;
        this.#look();
      });
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** How many lines have the text. */
  count(text: string): number {
    return this.#lines.filter((line) => line.includes(text)).length;
  }

  /** Waits until the log is as wanted; rejects if it ends before. */
  until(isThere: (log: WatchedLog) => boolean, what: string): Promise<void> {
    return new Promise((settle, reject) => {
      const look = () => {
        const isDone = isThere(this);
        if (!isDone && !this.#hasEnded) return;
        this.#looking.delete(look);
        if (isDone) settle();
        else reject(new Error(`it ended before ${what}:\n${this.#lines.join("\n")}`));
      };
      this.#looking.add(look);
      look();
    });
  }

  #look(): void {
    for (const look of [...this.#looking]) look();
  }
}
