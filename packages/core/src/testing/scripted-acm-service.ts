import { createServer, type Server, type Socket } from "node:net";

/** Where the scripted service listens. */
export type ScriptedAcmAddress = { readonly path: string } | { readonly host: string; readonly port: number };

/**
 * A service that speaks to ACM clients by script: each piece a client sends is kept and answered as the test says. Closes a client that
 * asks before there is a script. Knows nothing of the protocol.
 */
export class ScriptedAcmService {
  /** What clients have sent since the last `script`, piece by piece. */
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

  /** Listens; rejects with the system's error. */
  static async start(address: ScriptedAcmAddress): Promise<ScriptedAcmService> {
    const service = new ScriptedAcmService();
    await new Promise<void>((resolve, reject) => {
      service.#server.once("error", reject);
      service.#server.listen(address, resolve);
    });
    return service;
  }

  /** TCP port it listens on; 0 for a Unix socket. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Forgets what it was asked and answers from now on like this. */
  script(answer: (request: Buffer, n: number, socket: Socket) => void): void {
    this.requests.length = 0;
    this.#answer = answer;
  }

  /** Closes the clients and stops listening. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
