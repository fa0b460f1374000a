import type { AddressInfo, ListenOptions, Server } from "node:net";
import type { ListeningSocket } from "./listen.js";

/** A server of Node's as a socket that is to listen. */
export class NodeListener implements ListeningSocket {
  constructor(private readonly server: Server) {}

  async onPath(path: string, backlog: number): Promise<void> {
    await this.#listen({ path, backlog });
  }

  async onTcp(host: string, port: number, backlog: number): Promise<number> {
    await this.#listen({ host, port, backlog });
    return (this.server.address() as AddressInfo).port;
  }

  async onDescriptor(fd: number, backlog: number): Promise<void> {
    await this.#listen({ fd, backlog });
  }

  close(): void {
    this.server.close();
  }

  async #listen(options: ListenOptions & { readonly fd?: number }): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const failed = (error: Error): void => {
        this.server.off("listening", listening);
        reject(error);
      };
      const listening = (): void => {
        this.server.off("error", failed);
        resolve();
      };
      this.server.once("error", failed);
      this.server.once("listening", listening);
      this.server.listen(options);
    });
  }
}
