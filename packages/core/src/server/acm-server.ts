import { createServer, type Server, type Socket } from "node:net";
import type { OptionNames } from "@verbena/ib";
import { checkOptions } from "../check-options.js";
import { silentLogger, systemClock } from "../host/default-services.js";
import { OccasionalWarning } from "../sdk/occasional-warning.js";
import type { Clock, Logger } from "../sdk/services.js";
import { AcmConnection, type ConnectionHost, type ConnectionPeer } from "./connection.js";
import { DescriptorRoom, descriptorOf } from "./descriptors.js";
import type { AcmRequestHandler } from "./handler.js";
import { type AcmServerLimits, clientsWithin, DEFAULT_ACM_SERVER_LIMITS, LIMIT_NAMES } from "./limits.js";
import { type AcmAddress, type AcmListener, listen, type OpenListener } from "./listen.js";
import { NodeListener } from "./node-listener.js";
import { StalledClients } from "./stalled-clients.js";

/** Credentials of the process at the other end of a Unix socket; `undefined` where there are none. */
export type PeerCredentialsReader = (fd: number) => { readonly pid: number; readonly uid: number } | undefined;

/** What {@link createAcmServer} needs. */
export interface AcmServerOptions {
  readonly listeners: readonly AcmListener[];
  readonly handler: AcmRequestHandler;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly limits?: Partial<AcmServerLimits>;
  /** From `@verbena/native`; without it clients have no pid and uid. */
  readonly peerCredentials?: PeerCredentialsReader;
}

const OPTIONS: OptionNames<AcmServerOptions> = {
  listeners: true,
  handler: true,
  clock: true,
  logger: true,
  limits: true,
  peerCredentials: true,
};

/** A server of the ACM client protocol. */
export interface AcmServer extends AsyncDisposable {
  /** In the order of the listeners given. */
  readonly addresses: readonly AcmAddress[];
  readonly clientCount: number;
  /** Stops listening, writes the replies under way (at most `closeMs`), closes the clients. Idempotent. */
  close(): Promise<void>;
  /** Closes everything at once. */
  destroy(): void;
}

/**
 * Starts the server on all listeners, or on none: if one fails the others are closed and its coded error is given
 * (VERBENA_SERVER_LISTEN, VERBENA_SERVER_PATH, VERBENA_SERVER_PATH_LENGTH, VERBENA_OPTION_UNKNOWN).
 */
export async function createAcmServer(options: AcmServerOptions): Promise<AcmServer> {
  checkOptions("createAcmServer", options, OPTIONS);
  checkOptions<Partial<AcmServerLimits>>("createAcmServer: limits", options.limits ?? {}, LIMIT_NAMES);
  return await openAll(new SocketServer(options), options.listeners);
}

/** Opens every listener of a server, or closes it. */
export async function openAll<S extends AcmServer & { open(listener: AcmListener): Promise<void> }>(
  server: S,
  listeners: readonly AcmListener[],
): Promise<S> {
  try {
    for (const listener of listeners) await server.open(listener);
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

class SocketServer implements AcmServer, ConnectionHost {
  readonly handler: AcmRequestHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: AcmServerLimits;
  readonly #peerCredentials: PeerCredentialsReader | undefined;
  readonly #servers: Server[] = [];
  readonly #listeners: OpenListener[] = [];
  readonly #connections = new Set<AcmConnection>();
  readonly #stalled: StalledClients;
  #nextClient = 1;
  readonly #room: DescriptorRoom;
  readonly #isFull: OccasionalWarning;
  readonly #hasNoDescriptor: OccasionalWarning;
  readonly #hasFailed: OccasionalWarning;
  #closed: Promise<void> | undefined;
  #whenEmpty: (() => void) | undefined;

  constructor(options: AcmServerOptions) {
    this.handler = options.handler;
    this.clock = options.clock ?? systemClock;
    this.logger = options.logger ?? silentLogger;
    this.#room = new DescriptorRoom(this.clock);
    const limits = { ...DEFAULT_ACM_SERVER_LIMITS, ...options.limits };
    this.limits = { ...limits, maxClients: clientsWithin(limits.maxClients, this.#room.limit) };
    this.#stalled = new StalledClients(limits.maxStalledBytes);
    const warning = (message: string) => new OccasionalWarning(message, this.clock, this.logger);
    this.#isFull = warning("no more clients are taken");
    this.#hasNoDescriptor = warning("connections are refused: the process's limit on open files is reached");
    this.#hasFailed = warning("listening socket failed");
    this.#peerCredentials = options.peerCredentials;
  }

  get addresses(): readonly AcmAddress[] {
    return this.#listeners.map((listener) => listener.address);
  }

  get clientCount(): number {
    return this.#connections.size;
  }

  async open(listener: AcmListener): Promise<void> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#accept(socket);
    });
    this.#listeners.push(await listen(new NodeListener(server), listener));
    this.#servers.push(server);
    server.on("error", (error) => {
      this.#hasFailed.happened({ error: error.message });
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  destroy(): void {
    this.#stopListening();
    for (const connection of this.#connections) connection.destroy("server closed");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  stalled(connection: AcmConnection): void {
    this.#stalled.add(connection, connection.heldBytes);
  }

  flowing(connection: AcmConnection): void {
    this.#stalled.remove(connection);
  }

  gone(connection: AcmConnection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#whenEmpty?.();
  }

  #accept(socket: Socket): void {
    const clients = this.#connections.size;
    if (this.#closed !== undefined) refuse(socket);
    else if (clients >= this.limits.maxClients) {
      refuse(socket);
      this.#isFull.happened({ clients });
    } else if (!this.#room.has(descriptorOf(socket))) {
      refuse(socket);
      this.#hasNoDescriptor.happened({ clients, limit: this.#room.limit });
    } else this.#connections.add(new AcmConnection(socket, this.#identify(socket), this));
  }

  #identify(socket: Socket): ConnectionPeer {
    const id = this.#nextClient++;
    if (socket.remoteFamily !== undefined) return { id, kind: "tcp" };
    const fd = descriptorOf(socket);
    const peer = fd === undefined ? undefined : this.#peerCredentials?.(fd);
    return peer === undefined ? { id, kind: "unix" } : { id, kind: "unix", pid: peer.pid, uid: peer.uid };
  }

  #stopListening(): void {
    for (const listener of this.#listeners.splice(0)) listener.withdraw();
    for (const server of this.#servers.splice(0)) server.close();
  }

  async #close(): Promise<void> {
    this.#stopListening();
    const isEmpty = new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    const cancel = this.clock.schedule(this.limits.closeMs, () => {
      for (const connection of this.#connections) connection.destroy("server closed");
    });
    for (const connection of this.#connections) connection.finish();
    if (this.#connections.size > 0) await isEmpty;
    cancel();
  }
}

function refuse(socket: Socket): void {
  socket.on("error", () => undefined);
  socket.destroy();
}
