import type { Duplex } from "node:stream";
import type { AttachLink, LinkEvents } from "./attach-link.js";

/** A stream of Node's as a link. What is sent in one turn of the event loop leaves together. */
export class StreamLink implements AttachLink {
  #isCorked = false;
  #isOver = false;

  constructor(
    private readonly stream: Duplex,
    events: LinkEvents,
  ) {
    let failure: Error | undefined;
    const over = (): void => {
      if (this.#isOver) return;
      this.#isOver = true;
      events.closed(failure);
    };
    stream.on("data", (chunk: Buffer) => {
      if (!this.#isOver) events.received(chunk);
    });
    stream.on("drain", () => {
      events.drained();
    });
    stream.on("error", (error: Error) => {
      failure = error;
    });
    stream.on("end", () => {
      over();
      // The other side has nothing more to say; whoever does not read either gets no more.
      if (stream.writableLength > 0) stream.destroy();
      else stream.end();
    });
    stream.on("close", over);
  }

  get backlog(): number {
    return this.stream.writableLength;
  }

  send(bytes: Buffer, more?: Buffer): void {
    if (this.#isOver || this.stream.writableEnded) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.stream.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.stream.uncork();
      });
    }
    this.stream.write(bytes);
    if (more !== undefined && more.length > 0) this.stream.write(more);
  }

  pause(): void {
    this.stream.pause();
  }

  resume(): void {
    this.stream.resume();
  }

  end(): void {
    if (!this.stream.destroyed) this.stream.end();
    // What still comes is taken, so that the end behind it is seen.
    this.stream.resume();
  }

  destroy(): void {
    this.stream.destroy();
  }
}
