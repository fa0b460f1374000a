import { once } from "node:events";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { IpAddress } from "@verbena/ib";
import { cliError } from "../../../errors.js";

/** The TCP connection of the two sides, which carries the options and lives as long as the run. */
export class StressLink implements Disposable {
  readonly local: IpAddress;
  readonly remote: string;
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.local = IpAddress.parse(socket.localAddress ?? "");
    this.remote = `${socket.remoteAddress ?? ""}:${String(socket.remotePort)}`;
  }

  /** The first connection to an address and port; no further ones are taken. `onListening` is told once it can come. */
  static async accept(
    address: IpAddress,
    port: number,
    signal: AbortSignal,
    onListening: () => void,
  ): Promise<StressLink> {
    const server = createServer();
    try {
      server.listen(port, address);
      await once(server, "listening", { signal });
      onListening();
      const [socket] = (await once(server, "connection", { signal })) as [Socket];
      return new StressLink(socket);
    } catch (error) {
      throw signal.aborted ? error : failed(`no link at ${address}:${String(port)}`, error);
    } finally {
      server.close();
    }
  }

  /** Connects, from `local` if it is given; tries again each second so often, and tells before each try. */
  static async connect(
    to: { readonly address: IpAddress; readonly port: number; readonly local: IpAddress | undefined },
    retries: number,
    signal: AbortSignal,
    onRetry: (reason: string) => void,
  ): Promise<StressLink> {
    for (let left = retries; ; left--) {
      const local = to.local === undefined ? {} : { localAddress: to.local };
      const socket = connectSocket({ host: to.address, port: to.port, ...local });
      try {
        await once(socket, "connect", { signal });
        socket.setNoDelay(true);
        return new StressLink(socket);
      } catch (error) {
        socket.destroy();
        if (signal.aborted) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        if (left <= 0) throw failed(`no link to ${to.address}:${String(to.port)}: ${reason}`, error);
        onRetry(reason);
        await setTimeout(1000, undefined, { signal });
      }
    }
  }

  /** The next bytes, exactly so many. Rejects with `VERBENA_CLI_STRESS` if the other side ends before. */
  async read(length: number): Promise<Buffer> {
    while (this.#rest.length < length) {
      const next = await this.#chunks.next().catch((error: unknown) => {
        throw failed("the other side has broken the link", error);
      });
      if (next.done === true) throw failed("the other side has ended the link");
      this.#rest = Buffer.concat([this.#rest, next.value]);
    }
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return bytes;
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Resolves when the other side ends the run: by closing, or by any byte. */
  async ended(): Promise<void> {
    if (this.#rest.length > 0) return;
    await this.#chunks.next().catch(() => undefined);
  }

  /** Closes the link, which ends the other side's run. What waits for it is answered. */
  [Symbol.dispose](): void {
    this.#socket.on("error", () => undefined).destroy();
  }
}

const failed = (reason: string, cause?: unknown): Error =>
  cliError("VERBENA_CLI_STRESS", { details: { reason }, ...(cause === undefined ? {} : { cause }) });
