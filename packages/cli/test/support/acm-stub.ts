import { createServer, type Server, type Socket } from "node:net";

/** Where the stub listens. */
export type StubAddress = { readonly path: string } | { readonly host: string; readonly port: number };

/** Answers the n-th request with the n-th reply (the last one over and over), and keeps what it was asked. */
export class AcmStub {
  readonly requests: Buffer[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #answer: (request: Buffer, n: number, socket: Socket) => void = (_request, _n, socket) => socket.end();

  private constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("data", (request) => {
        this.requests.push(request);
        this.#answer(request, this.requests.length - 1, socket);
      });
    });
  }

  static async start(address: StubAddress): Promise<AcmStub> {
    const stub = new AcmStub();
    await new Promise<void>((resolve, reject) => {
      stub.#server.once("error", reject);
      stub.#server.listen(address, resolve);
    });
    return stub;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Forgets what it was asked and answers from now on like this. */
  script(answer: (request: Buffer, n: number, socket: Socket) => void): void {
    this.requests.length = 0;
    this.#answer = answer;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
