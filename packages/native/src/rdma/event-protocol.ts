/** What is to be done next. After `poll`, `arm` and `yield` the machine wants to hear that it is done. */
export type Command = "poll" | "arm" | "yield" | "deliver" | "wait";

/** How a queue that was found empty is watched. */
export interface Watching {
  /** Whether it may wait for an event at all; otherwise it polls at each turn. */
  readonly byEvent: boolean;
  /** Polls at each turn for so long before it waits for an event; 0: at once. */
  readonly spinUs: number;
}

/** Events are acknowledged in batches of so many: each acknowledgement takes a lock of the library. */
const ACK_BATCH = 32;

/**
 * The protocol of completion events for one queue: read the event, count it, arm again, drain until empty, yield; acknowledge in batches and
 * at the end. Pure: it does nothing but say what is to be done; time comes in from outside.
 *
 * Two facts make it need no protective timer. An event is raised only by a completion that comes after arming, so the queue is polled once
 * more between arming and waiting. And once armed, either the queue still is or its event lies in the channel: `isArmed` means one of the
 * two until the event is read.
 */
export class EventProtocol {
  #isWanted = false;
  #isArmed = false;
  #unacknowledged = 0;
  /** When the last completion came, or the reader. */
  #lastUs = 0;

  constructor(private readonly watching: Watching) {}

  /** Whether it makes use of the times that it is given. */
  get isTimed(): boolean {
    return this.watching.byEvent && this.watching.spinUs > 0;
  }

  /** True while somebody wants completions and none were there. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Events that were counted and not acknowledged. */
  get unacknowledged(): number {
    return this.#unacknowledged;
  }

  /** Somebody wants completions. */
  pull(nowUs: number): Command {
    this.#isWanted = true;
    this.#lastUs = nowUs;
    return "poll";
  }

  /** The reader has gone. */
  leave(): void {
    this.#isWanted = false;
  }

  /** A poll gave `count` completions. */
  polled(count: number, nowUs: number): Command {
    if (count > 0) {
      this.#isWanted = false;
      this.#lastUs = nowUs;
      return "deliver";
    }
    if (!this.watching.byEvent) return "yield";
    if (this.#isArmed) return "wait";
    return nowUs - this.#lastUs < this.watching.spinUs ? "yield" : "arm";
  }

  /** The queue was armed. What came before raises no event, so look once more. */
  armed(): Command {
    this.#isArmed = true;
    return "poll";
  }

  /** One turn of the loop has passed since `yield`. */
  turned(): Command {
    return this.#isWanted ? "poll" : "wait";
  }

  /** An event of this queue was read. */
  event(): Command {
    this.#isArmed = false;
    this.#unacknowledged++;
    // While nobody wants completions the queue stays as it is: the next pull polls first.
    if (!this.#isWanted) return "wait";
    // What is armed is not polled for: an adaptive reader takes what has come, and spins again before it arms.
    return this.isTimed ? "poll" : "arm";
  }

  /** How many events to acknowledge now, which it takes for done. With `isLast` all of them. */
  takeAcknowledgements(isLast = false): number {
    if (this.#unacknowledged === 0 || (!isLast && this.#unacknowledged < ACK_BATCH)) return 0;
    const count = this.#unacknowledged;
    this.#unacknowledged = 0;
    return count;
  }
}
