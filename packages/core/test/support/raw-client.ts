import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { AcmAddress } from "../../src/server/index.js";

/** A socket that remembers what it got, and when the other side closed. Knows nothing of the protocol. */
export class RawClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #pieces: Buffer[] = [];
  #unread = 0;
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("data", (piece: Buffer) => {
      this.#pieces.push(piece);
      this.#unread += piece.length;
      this.#wake?.();
    });
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#isClosed = true;
        this.#wake?.();
        resolve();
      });
    });
  }

  static async open(address: AcmAddress | undefined): Promise<RawClient> {
    if (address === undefined || address.kind === "fd") throw new Error("no address to connect to");
    const socket = address.kind === "unix" ? connect(address.path) : connect(address.port, "127.0.0.1");
    const client = new RawClient(socket);
    await once(socket, "connect");
    return client;
  }

  send(bytes: Buffer): this {
    this.socket.write(bytes);
    return this;
  }

  /** Takes the next `count` bytes; fails if the server closes before. */
  async take(count: number): Promise<Buffer> {
    while (this.#unread < count) {
      if (this.#isClosed) throw new Error(`closed after ${this.#unread} of ${count} bytes`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [all.subarray(count)];
    this.#unread -= count;
    return all.subarray(0, count);
  }

  get unread(): number {
    return this.#unread;
  }

  destroy(): void {
    this.socket.destroy();
  }
}
