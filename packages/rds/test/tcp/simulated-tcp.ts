import type { Clock, Random, TcpEndpoint, TcpListener, TcpListenerHandler, TcpService } from "@verbena/core/sdk";
import { SimulatedStream } from "./simulated-stream.js";

/** Longest way of anything from one end to the other, milliseconds. */
const MAX_DELAY_MS = 2;

/**
 * TCP between hosts that exist only here, on a clock of its own: bytes take their time and come in other pieces, the kernel takes what it has
 * room for, acknowledgements follow the bytes, and {@link SimulatedNetwork.cut} breaks a connection so that what is on the way is lost in part.
 * Acknowledged is what has arrived, read or not, as with the real one.
 */
export class SimulatedNetwork {
  readonly #listeners = new Map<string, TcpListenerHandler>();
  /** One end of each connection that stands. */
  readonly #standing = new Set<SimulatedStream>();
  #ports = 40_000;
  /** Hosts that answer no call: whoever calls one waits. */
  readonly silent = new Set<string>();
  /** Connections that came about. */
  connections = 0;

  constructor(
    readonly clock: Clock,
    readonly random: Random,
  ) {}

  /** The TCP of one host; all hosts are alike. */
  readonly tcp: TcpService = {
    listen: (local, handler) => this.#listen(local, handler),
    connect: (local, remote, handler) => {
      const client = new SimulatedStream(this, { ...local, port: ++this.#ports }, remote);
      client.start(handler);
      this.later(() => this.#arrive(client));
      return client;
    },
  };

  /** After the time that something takes on its way. */
  later(act: () => void): void {
    this.clock.schedule(this.random() * MAX_DELAY_MS, act);
  }

  /** Breaks one of the connections by lot; false if none stands. */
  cut(): boolean {
    const streams = [...this.#standing];
    const stream = streams[Math.floor(this.random() * streams.length)];
    if (stream === undefined) return false;
    this.#standing.delete(stream);
    stream.cut();
    return true;
  }

  #listen(local: TcpEndpoint, handler: TcpListenerHandler): TcpListener {
    const key = `${local.host}:${local.port}`;
    this.#listeners.set(key, handler);
    return { local, resume: () => undefined, close: () => this.#listeners.delete(key) };
  }

  #arrive(client: SimulatedStream): void {
    if (client.isClosed || this.silent.has(client.remote.host)) return;
    const listener = this.#listeners.get(`${client.remote.host}:${client.remote.port}`);
    if (listener === undefined) {
      this.later(() => client.refuse());
      return;
    }
    const server = new SimulatedStream(this, client.remote, client.local);
    server.join(client);
    client.join(server);
    this.connections += 1;
    this.#standing.add(client);
    this.later(() => client.connected());
    listener.onAccept(server);
  }
}
