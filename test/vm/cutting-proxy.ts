import { connect, createServer, type Server, type Socket } from "node:net";

/** Where a {@link CuttingProxy} stands. */
export interface ProxyPlace {
  /** Where it is called. */
  readonly listen: { readonly address: string; readonly port: number };
  /** Whom it calls then, and from which address. */
  readonly to: { readonly address: string; readonly port: number };
  readonly from: string;
}

/**
 * Carries connections on to somebody else. RDS over TCP names no addresses in its messages, so each side takes the proxy's address on its side for the
 * other's. Closed, it turns calls away; a cut resets both halves at a byte of its choice.
 */
export class CuttingProxy implements AsyncDisposable {
  /** Whether calls are carried on. */
  isOpen = true;
  /** Connections that were carried on. */
  connections = 0;
  #bytesUntilCut = Number.POSITIVE_INFINITY;
  #onCut: () => void = () => undefined;
  readonly #halves = new Set<Socket>();
  readonly #server: Server;

  private constructor(private readonly place: ProxyPlace) {
    this.#server = createServer((near) => this.#carry(near));
  }

  static async listen(place: ProxyPlace): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(place);
    const { address, port } = place.listen;
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once("error", reject).listen(port, address, resolve);
    });
    return proxy;
  }

  /** Cuts after so many more bytes, of either direction; resolves when that is done. */
  cutAfter(bytes: number): Promise<void> {
    this.#bytesUntilCut = bytes;
    return new Promise((resolve) => {
      this.#onCut = resolve;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #carry(near: Socket): void {
    if (!this.isOpen) {
      near.on("error", () => undefined).resetAndDestroy();
      return;
    }
    const { to, from } = this.place;
    const far = connect({ host: to.address, port: to.port, localAddress: from });
    this.connections += 1;
    for (const [source, target] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#halves.add(source);
      source.setNoDelay(true);
      source.on("error", () => undefined);
      source.on("close", () => {
        this.#halves.delete(source);
        target.resetAndDestroy();
      });
      source.on("data", (bytes) => {
        const left = this.#bytesUntilCut;
        this.#bytesUntilCut -= bytes.length;
        if (bytes.length < left) {
          if (!target.write(bytes)) source.pause();
          return;
        }
        this.#bytesUntilCut = Number.POSITIVE_INFINITY;
        // The first bytes of what has come go on, so that the other side has a part of a message.
        target.write(bytes.subarray(0, left), () => this.#cut());
      });
      target.on("drain", () => source.resume());
    }
  }

  #cut(): void {
    for (const half of this.#halves) half.resetAndDestroy();
    this.#onCut();
  }
}
