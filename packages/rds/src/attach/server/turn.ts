/** Who has something to say at the end of a turn. */
export interface Speaker {
  /** Says all it has to say. What that brings about for others is said in the same turn. */
  flush(): void;
}

/**
 * What one event brings about for many: everybody concerned is noted, and speaks once when it is over. So a socket hears that its destination is
 * congested before it hears that there is room again, and a hundred acknowledgements are one frame.
 */
export class Turn {
  readonly #speakers = new Set<Speaker>();
  #depth = 0;
  #isScheduled = false;

  /** An event of its own; all that was noted meanwhile is said at its end. */
  run(event: () => void): void {
    this.#depth += 1;
    try {
      event();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#finish();
    }
  }

  /** Notes somebody: for the end of this turn, or, of what happens by itself, for when the call that is under way is over. */
  note(speaker: Speaker): void {
    this.#speakers.add(speaker);
    if (this.#depth > 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.run(() => undefined);
    });
  }

  #finish(): void {
    this.#depth += 1;
    try {
      for (const speaker of this.#speakers) {
        this.#speakers.delete(speaker);
        speaker.flush();
      }
    } finally {
      this.#depth -= 1;
    }
  }
}
