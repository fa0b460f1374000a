import type { AttachLink, LinkEvents } from "../../src/attach/link/attach-link.js";

/** Who takes connections. */
export type Accept = (connect: (events: LinkEvents) => AttachLink) => void;

/**
 * Connections in memory. What is sent arrives at once, and all that comes of it, before the outermost call returns; or, where a test holds it, when the
 * test says so. So the calls of a socket that never wait see what they would see in the stack's own process.
 */
export class MemoryLinks {
  readonly #deliveries: (() => void)[] = [];
  readonly #open = new Set<MemoryLink>();
  #isDelivering = false;
  #accept: Accept | undefined;
  /** All that was ever sent. */
  sentBytes = 0;
  /** Nothing arrives until {@link deliver}. */
  isHeld = false;

  /** Whoever connects from now on reaches this; `undefined`: nobody. */
  serve(accept: Accept | undefined): void {
    this.#accept = accept;
  }

  readonly connect = (events: LinkEvents): AttachLink => {
    const near = new MemoryLink(this, events);
    this.#open.add(near);
    const accept = this.#accept;
    if (accept === undefined) {
      // Whoever connects does not have the link yet.
      queueMicrotask(() => near.over(new Error("connect ENOENT")));
      return near;
    }
    // What the other side says at once arrives when whoever connects has the link.
    const wasDelivering = this.#isDelivering;
    this.#isDelivering = true;
    accept((farEvents) => {
      const far = new MemoryLink(this, farEvents);
      near.other = far;
      far.other = near;
      return far;
    });
    this.#isDelivering = wasDelivering;
    queueMicrotask(() => {
      if (!this.isHeld) this.deliver();
    });
    return near;
  };

  /** Breaks all connections, as the end of the stack's process does; or the one that was made last. */
  cut(which: "all" | "last" = "all"): void {
    const all = [...this.#open];
    for (const link of which === "all" ? all : all.slice(-1)) {
      this.#open.delete(link);
      link.destroy();
    }
  }

  /** Lets arrive what is held, and what comes of it. */
  deliver(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      for (let next = this.#deliveries.shift(); next !== undefined; next = this.#deliveries.shift()) next();
    } finally {
      this.#isDelivering = false;
    }
  }

  post(delivery: () => void): void {
    this.#deliveries.push(delivery);
    if (!this.isHeld) this.deliver();
  }
}

class MemoryLink implements AttachLink {
  other: MemoryLink | undefined;
  #isOver = false;

  constructor(
    private readonly links: MemoryLinks,
    private readonly events: LinkEvents,
  ) {}

  readonly backlog = 0;

  send(bytes: Buffer, more: Buffer = Buffer.alloc(0)): void {
    const { other } = this;
    const all = Buffer.concat([bytes, more]);
    this.links.sentBytes += all.length;
    this.links.post(() => other?.arrived(all));
  }

  pause(): void {
    // Nothing waits here.
  }

  resume(): void {
    // As above.
  }

  end(): void {
    const { other } = this;
    this.links.post(() => {
      other?.over(undefined);
      this.over(undefined);
    });
  }

  destroy(): void {
    this.end();
  }

  arrived(bytes: Buffer): void {
    if (!this.#isOver) this.events.received(bytes);
  }

  over(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.events.closed(error);
  }
}
