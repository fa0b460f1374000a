import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { AddressEvent, AddressSource } from "../api/addresses.js";
import { nativeError } from "../errors.js";
import { SingleReaderQueue } from "../streams/single-reader-queue.js";
import { encodeWatchRequest, parseFabricLine } from "./fabric-message.js";

/** How long a source waits before it connects again: doubled from the first to the last, and back to the first once it was connected. */
const RECONNECT_MS = { first: 50, last: 2000 } as const;

/** Longest line taken from the fabric, characters. */
const MAX_LINE = 65_536;

/** What a simulated source takes from its surroundings. */
export interface FabricSourceParts {
  /** Folder of the fabric; its control socket is `DIR/control.sock`. */
  readonly dir: string;
  /** Nodes whose addresses are wanted. */
  readonly nodes: readonly string[];
  /** Calls back after a while; gives the function that cancels. Defaults to the process's timers. */
  readonly schedule?: (ms: number, run: () => void) => () => void;
  /** Tells the parent that the source is closed. */
  readonly onClose?: (source: AddressSource) => void;
}

const processTimers = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** Addresses of simulated nodes, from the fabric's control socket: one connection a node. Connects again for as long as it is open. */
export class FabricAddressSource implements AddressSource {
  readonly #queue: SingleReaderQueue<AddressEvent>;
  readonly #watches: readonly NodeWatch[];
  /** Nodes whose listing is complete; `synced` is reported once all are. */
  readonly #synced = new Set<NodeWatch>();
  #isClosed = false;

  constructor(private readonly parts: FabricSourceParts) {
    this.#queue = new SingleReaderQueue<AddressEvent>("the address source", {
      pause: () => {
        for (const watch of this.#watches) watch.pause();
      },
      resume: () => {
        for (const watch of this.#watches) watch.resume();
      },
    });
    const schedule = parts.schedule ?? processTimers;
    const socket = join(parts.dir, "control.sock");
    this.#watches = parts.nodes.map(
      (node) =>
        new NodeWatch(socket, node, schedule, {
          event: (watch, event) => this.#take(watch, event),
          lost: () => this.#lost(),
          failed: (error) => this.#queue.fail(error),
        }),
    );
    for (const watch of this.#watches) watch.connect();
    // No node chosen: the listing is complete, and empty.
    if (this.#watches.length === 0) this.#queue.push({ type: "synced" });
  }

  events(): AsyncIterableIterator<AddressEvent> {
    if (this.#isClosed) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: "the address source" } });
    return this.#queue.read();
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#queue.end(true);
      for (const watch of this.#watches) watch.close();
      this.parts.onClose?.(this);
    }
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #take(watch: NodeWatch, event: AddressEvent): void {
    if (event.type !== "synced") {
      this.#queue.push(event);
      return;
    }
    if (this.#synced.has(watch)) return;
    this.#synced.add(watch);
    if (this.#synced.size === this.#watches.length) this.#queue.push(event);
  }

  /** One lost connection is the loss of all: `reset` means everything, so every node lists again. */
  #lost(): void {
    this.#queue.push({ type: "reset" });
    this.#synced.clear();
    for (const watch of this.#watches) watch.restart();
  }
}

interface WatchEvents {
  event(watch: NodeWatch, event: AddressEvent): void;
  /** The connection broke after something had been heard on it. */
  lost(): void;
  failed(error: Error): void;
}

/** One connection to the control socket, for one node. */
class NodeWatch {
  #socket: Socket | undefined;
  #cancelTimer: (() => void) | undefined;
  #delayMs: number = RECONNECT_MS.first;
  #hasHeard = false;
  #isPaused = false;
  #isClosed = false;

  constructor(
    private readonly path: string,
    private readonly node: string,
    private readonly schedule: (ms: number, run: () => void) => () => void,
    private readonly to: WatchEvents,
  ) {}

  connect(): void {
    this.#cancelTimer = undefined;
    const socket = connect(this.path);
    this.#socket = socket;
    let rest = "";
    socket.setEncoding("utf8");
    socket.on("connect", () => socket.write(encodeWatchRequest(this.node)));
    socket.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      this.#lines(rest.length > MAX_LINE ? [...lines, rest] : lines);
    });
    // Node closes the socket after an error; what comes next is decided there.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (this.#socket === socket) this.#disconnected();
    });
    if (this.#isPaused) socket.pause();
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#socket?.resume();
  }

  /** Drops the connection and makes a new one. */
  restart(): void {
    this.#drop();
    if (this.#isClosed) return;
    this.#cancelTimer = this.schedule(this.#delayMs, () => this.connect());
    this.#delayMs = Math.min(this.#delayMs * 2, RECONNECT_MS.last);
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #lines(lines: readonly string[]): void {
    try {
      for (const line of lines) {
        if (line === "" || this.#isClosed) continue;
        const event = parseFabricLine(line, this.path);
        this.#hasHeard = true;
        this.#delayMs = RECONNECT_MS.first;
        if (event !== undefined) this.to.event(this, event);
      }
    } catch (error) {
      this.close();
      this.to.failed(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #disconnected(): void {
    const hadHeard = this.#hasHeard;
    if (hadHeard) this.to.lost();
    else this.restart();
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#hasHeard = false;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    socket?.destroy();
  }
}
