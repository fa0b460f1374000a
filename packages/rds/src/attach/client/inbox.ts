import type { ReceivedMessage } from "@verbena/core/sdk";
import { Fifo } from "../../engine/fifo.js";

/** Messages that the stack has sent ahead and the program has not received, by the connection they came over. */
export class Inbox {
  readonly #waiting = new Fifo<{ readonly message: ReceivedMessage; readonly connection: object }>();

  get length(): number {
    return this.#waiting.length;
  }

  push(message: ReceivedMessage, connection: object): void {
    this.#waiting.push({ message, connection });
  }

  peek(): ReceivedMessage | undefined {
    return this.#waiting.peek()?.message;
  }

  /** The next, and the connection whose stack still counts it. */
  shift(): { readonly message: ReceivedMessage; readonly connection: object } | undefined {
    return this.#waiting.shift();
  }

  clear(): void {
    this.#waiting.drain();
  }
}
