import type { SimClock } from "../fabric/services.js";
import type { SaBehaviour } from "./sa-behaviour.js";

/** How long an answer waits for another to go first. */
export const UNORDERED_WAIT_MS = 100;

const TID_LOW_AT = 12;

type Send = (mad: Buffer) => void;

/** Where the SA's answers leave, spoilt as its mode says. Segments of a table are answers of their own. */
export class AnswerOutbox {
  readonly #timers = new Set<() => void>();
  /** An answer that waits until the next one has gone. */
  #waiting: { readonly release: () => void } | undefined;

  constructor(private readonly clock: SimClock) {}

  /** Sends an answer: late, twice, behind the next one, or with the transaction id of no request. */
  post({ mode, delayMs }: Pick<SaBehaviour, "mode" | "delayMs">, mad: Buffer, send: Send): void {
    switch (mode) {
      case "slow":
        this.#later(delayMs, () => {
          send(mad);
        });
        return;
      case "twice":
        send(mad);
        send(Buffer.from(mad));
        return;
      case "unordered":
        this.#swap(mad, send);
        return;
      case "wrong-tid":
        send(withOtherTid(mad));
        return;
      case "normal":
      case "silent":
      case "busy":
        send(mad);
    }
  }

  /** Answers under way are dropped. */
  close(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.#waiting = undefined;
  }

  #swap(mad: Buffer, send: Send): void {
    if (this.#waiting !== undefined) {
      send(mad);
      this.#waiting.release();
      return;
    }
    const cancel = this.#later(UNORDERED_WAIT_MS, () => {
      this.#waiting = undefined;
      send(mad);
    });
    this.#waiting = {
      release: () => {
        cancel();
        this.#waiting = undefined;
        send(mad);
      },
    };
  }

  #later(delayMs: number, work: () => void): () => void {
    const stop = this.clock.schedule(delayMs, () => {
      this.#timers.delete(cancel);
      work();
    });
    const cancel = (): void => {
      stop();
      this.#timers.delete(cancel);
    };
    this.#timers.add(cancel);
    return cancel;
  }
}

/** The high half says whose agent it is and must stay, or nobody would see the answer. */
function withOtherTid(mad: Buffer): Buffer {
  const other = Buffer.from(mad);
  other.writeUInt32BE((mad.readUInt32BE(TID_LOW_AT) ^ 0x8000_0000) >>> 0, TID_LOW_AT);
  return other;
}
