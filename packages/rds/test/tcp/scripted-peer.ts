import { connect, createServer, type Server, type Socket } from "node:net";
import { cutFrames, type Frame } from "./frames.js";

/** A list that is waited for. */
class Inbox<T> {
  readonly #items: T[] = [];
  readonly #waiting: ((item: T) => void)[] = [];

  put(item: T): void {
    const resolve = this.#waiting.shift();
    if (resolve === undefined) this.#items.push(item);
    else resolve(item);
  }

  next(): Promise<T> {
    const item = this.#items.shift();
    return item === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(item);
  }

  get size(): number {
    return this.#items.length;
  }
}

/** The peer's end of a TCP connection: raw frames in and out. */
export class PeerConnection {
  readonly #frames = new Inbox<Frame>();
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes that have come. */
  received = 0;
  /** How it ended. */
  readonly ended: Promise<"end" | "reset">;

  constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on("data", (bytes) => {
      this.received += bytes.length;
      const { frames, rest } = cutFrames(Buffer.concat([this.#rest, bytes]));
      this.#rest = rest;
      for (const frame of frames) this.#frames.put(frame);
    });
    this.ended = new Promise((resolve) => {
      socket.on("error", () => resolve("reset"));
      socket.on("end", () => resolve("end"));
    });
  }

  /** The next whole frame. */
  next(): Promise<Frame> {
    return this.#frames.next();
  }

  /** The next frame that is neither a map nor of the handshake. */
  async nextData(): Promise<Frame> {
    for (;;) {
      const frame = await this.next();
      if (frame.flags !== 1 && frame.sourcePort + frame.destinationPort !== 1) return frame;
    }
  }

  /** Whole frames that nobody has asked for yet. */
  get waiting(): number {
    return this.#frames.size;
  }

  /** Resolves once the kernel has all of it. */
  send(...frames: readonly Buffer[]): Promise<void> {
    return new Promise((resolve) => this.socket.write(Buffer.concat(frames), () => resolve()));
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** Sends the end, reads on. */
  close(): void {
    this.socket.end();
  }
}

/** A peer that is a script: it listens at an address of its own, connects from it, and says what the test tells it. */
export class ScriptedPeer implements AsyncDisposable {
  readonly #accepted = new Inbox<PeerConnection>();
  readonly #open = new Set<Socket>();
  readonly #server: Server;
  /** Connections that came, those turned away included. */
  calls = 0;
  /** So many more connections are reset before a byte is said. */
  refusals = 0;
  /** When each call came, milliseconds. */
  readonly callTimes: number[] = [];

  private constructor(
    readonly address: string,
    readonly port: number,
  ) {
    this.#server = createServer({ pauseOnConnect: false }, (socket) => {
      this.calls += 1;
      this.callTimes.push(performance.now());
      if (this.refusals > 0) {
        this.refusals -= 1;
        socket.on("error", () => undefined);
        socket.resetAndDestroy();
        return;
      }
      this.#accepted.put(this.#keep(socket));
    });
  }

  static async listen(address: string, port: number): Promise<ScriptedPeer> {
    const peer = new ScriptedPeer(address, port);
    await new Promise<void>((resolve, reject) => {
      peer.#server.once("error", reject);
      peer.#server.listen(port, address, resolve);
    });
    return peer;
  }

  /** The next connection that came. */
  accept(): Promise<PeerConnection> {
    return this.#accepted.next();
  }

  /** A connection that stands, or that was reset as soon as it stood. */
  async connect(to: string): Promise<PeerConnection> {
    const socket = connect({ host: to, port: this.port, localAddress: this.address });
    const connection = this.#keep(socket);
    await Promise.race([new Promise((resolve) => socket.once("connect", resolve)), connection.ended]);
    return connection;
  }

  /** No listener any more: calls are refused. */
  stopListening(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopped = this.#server.listening ? this.stopListening() : Promise.resolve();
    for (const socket of this.#open) socket.destroy();
    await stopped;
  }

  #keep(socket: Socket): PeerConnection {
    this.#open.add(socket);
    socket.on("close", () => this.#open.delete(socket));
    return new PeerConnection(socket);
  }
}
