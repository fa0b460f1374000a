import type { TcpEndpoint, TcpListener, TcpService, TcpStream } from "../src/index.js";

/** One end of a connection, with all that it reported. */
export class TcpEnd {
  readonly #waiting: (() => void)[] = [];
  stream!: TcpStream;
  failure: Error | undefined;
  connected = 0;
  acked = 0;
  readable = 0;
  writable = 0;

  readonly handler = {
    onConnected: (): void => this.#note(() => this.connected++),
    onReadable: (): void => this.#note(() => this.readable++),
    onWritable: (): void => this.#note(() => this.writable++),
    onAcked: (): void => this.#note(() => this.acked++),
    onFailure: (error: Error): void =>
      this.#note(() => {
        this.failure = error;
      }),
  };

  /** Looks again after each report. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** What is there to read, to the present end: bytes, and `end` or the error that came after them. */
  readAll(): { bytes: Buffer; end: unknown } {
    const into = Buffer.alloc(65536);
    const parts: Buffer[] = [];
    for (;;) {
      let count: number;
      try {
        count = this.stream.read(into, 0, into.length);
      } catch (error) {
        return { bytes: Buffer.concat(parts), end: error };
      }
      if (count <= 0) return { bytes: Buffer.concat(parts), end: count };
      parts.push(Buffer.from(into.subarray(0, count)));
    }
  }

  #note(what: () => void): void {
    what();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** A listener and what it has accepted. */
export class TcpDoor {
  readonly listener: TcpListener;
  readonly #accepted: TcpEnd[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(tcp: TcpService, host: string) {
    this.listener = tcp.listen(
      { host, port: 0 },
      {
        onAccept: (stream) => {
          const end = new TcpEnd();
          end.stream = stream;
          stream.start(end.handler);
          this.#accepted.push(end);
          for (const resolve of this.#waiting.splice(0)) resolve();
        },
        onTrouble: () => undefined,
      },
    );
  }

  async next(): Promise<TcpEnd> {
    for (;;) {
      const end = this.#accepted.shift();
      if (end !== undefined) return end;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

/** Begins to connect. */
export function dial(tcp: TcpService, host: string, remote: TcpEndpoint): TcpEnd {
  const end = new TcpEnd();
  end.stream = tcp.connect({ host, port: 0 }, remote, end.handler);
  return end;
}

/** Both ends of a new connection. */
export async function pair(tcp: TcpService, from = "127.0.0.2", to = "127.0.0.3"): Promise<readonly [TcpEnd, TcpEnd]> {
  const door = new TcpDoor(tcp, to);
  const client = dial(tcp, from, door.listener.local);
  const server = await door.next();
  await client.until(() => client.connected === 1);
  door.listener.close();
  return [client, server];
}
