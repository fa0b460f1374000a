import { ControlClient } from "@verbena/core/client";
import { ReadyChild } from "../../src/process/child.js";

/** A daemon of the built program. */
export interface Served extends AsyncDisposable {
  readonly child: ReadyChild;
  readonly socket: string;
  readonly control: ControlClient;
  /** Waits for a line of its log that fits and has not been waited for yet. */
  logged(pattern: RegExp): Promise<string>;
}

/** Starts `verbena serve` with its socket there, and waits until it is ready. */
export async function startServe(words: readonly string[], socket: string): Promise<Served> {
  const log = new Log();
  const child = await ReadyChild.start(["serve", "--socket", socket, ...words], {
    onErrorLine: (line) => {
      log.add(line);
    },
  });
  const control = new ControlClient({ path: `${socket}.ctl` });
  return {
    child,
    socket,
    control,
    logged: (pattern) => log.next(pattern),
    async [Symbol.asyncDispose]() {
      await control.close();
      await child.stop();
    },
  };
}

/** Lines as they come; readers wait for the next one that fits. */
class Log {
  readonly #lines: string[] = [];
  #wake: () => void = () => undefined;

  add(line: string): void {
    this.#lines.push(line);
    this.#wake();
  }

  async next(pattern: RegExp): Promise<string> {
    for (;;) {
      while (this.#lines.length > 0) {
        const line = this.#lines.shift() ?? "";
        if (pattern.test(line)) return line;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
