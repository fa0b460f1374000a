import type { FrontEnd, FrontEndEvent, FrontEndOptions, NativeServices } from "@verbena/native";
import { silentLogger, systemClock } from "../host/default-services.js";
import { OccasionalWarning } from "../sdk/occasional-warning.js";
import type { Clock, Logger } from "../sdk/services.js";
import { type AcmServer, type AcmServerOptions, openAll } from "../server/acm-server.js";
import { DescriptorRoom } from "../server/descriptors.js";
import type { AcmRequestHandler } from "../server/handler.js";
import { type AcmServerLimits, clientsWithin, DEFAULT_ACM_SERVER_LIMITS } from "../server/limits.js";
import {
  type AcmAddress,
  type AcmListener,
  type ListeningSocket,
  listen,
  type OpenListener,
} from "../server/listen.js";
import { StalledClients } from "../server/stalled-clients.js";
import { FrontClient, type FrontClientHost } from "./front-client.js";
import type { KeptReplies } from "./kept-replies.js";

/** What {@link createFrontServer} needs beside what every server of the protocol does. */
export interface FrontServerOptions extends Omit<AcmServerOptions, "peerCredentials"> {
  readonly openFrontEnd: NonNullable<NativeServices["openFrontEnd"]>;
  /** Of the front end; default `auto`. */
  readonly io?: FrontEndOptions["io"];
  /** Puts into the reply table what the handler offers; without it the table stays empty. */
  readonly kept?: KeptReplies;
}

/**
 * The same server as `createAcmServer` makes, with its sockets on a thread of their own that answers what the reply table holds. Rejects with
 * the same codes.
 */
export async function createFrontServer(options: FrontServerOptions): Promise<AcmServer> {
  return await openAll(new FrontServer(options), options.listeners);
}

class FrontServer implements AcmServer, FrontClientHost {
  readonly handler: AcmRequestHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: AcmServerLimits;
  readonly #front: FrontEnd;
  readonly #kept: KeptReplies | undefined;
  readonly #listeners: OpenListener[] = [];
  readonly #clients = new Map<number, FrontClient>();
  readonly #stalled: StalledClients;
  readonly #warnings: Readonly<Record<"clients" | "descriptors" | "failed", OccasionalWarning>>;
  readonly #room: DescriptorRoom;
  #closed: Promise<void> | undefined;
  #isDestroyed = false;
  #whenEmpty: (() => void) | undefined;

  constructor(options: FrontServerOptions) {
    this.handler = options.handler;
    this.clock = options.clock ?? systemClock;
    this.logger = options.logger ?? silentLogger;
    this.#room = new DescriptorRoom(this.clock);
    const limits = { ...DEFAULT_ACM_SERVER_LIMITS, ...options.limits };
    this.limits = { ...limits, maxClients: clientsWithin(limits.maxClients, this.#room.limit) };
    this.#stalled = new StalledClients(limits.maxStalledBytes);
    const warning = (message: string) => new OccasionalWarning(message, this.clock, this.logger);
    this.#warnings = {
      clients: warning("no more clients are taken"),
      descriptors: warning("connections are refused: the process's limit on open files is reached"),
      failed: warning("listening socket failed"),
    };
    const { maxClients, maxOpenRequests, maxUnsentBytes, replyTableBytes } = this.limits;
    this.#front = options.openFrontEnd({
      io: options.io ?? "auto",
      maxClients,
      maxOpenRequests,
      maxUnsentBytes,
      tableBytes: replyTableBytes,
      onEvents: (events) => {
        for (const event of events) this.#on(event);
      },
      onStalled: (client) => {
        this.#clients.get(client)?.hold();
      },
    });
    const { io, ringRefusal } = this.#front;
    this.logger.debug("front end started", { io, ...(ringRefusal === undefined ? {} : { ringRefusal }) });
    this.#kept = options.kept;
    this.#kept?.attach(this.#front);
  }

  get addresses(): readonly AcmAddress[] {
    return this.#listeners.map((listener) => listener.address);
  }

  get clientCount(): number {
    // Some that have gone are still to be told of, and most have never been heard of.
    return Math.max(this.#front.clientCount, this.#clients.size);
  }

  async open(listener: AcmListener): Promise<void> {
    this.#listeners.push(await listen(new FrontListener(this.#front), listener));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#stopListening();
    this.#kept?.detach();
    void this.#front.close();
    for (const client of this.#clients.values()) client.gone("server closed");
    this.#clients.clear();
    this.#whenEmpty?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  write(client: FrontClient, request: Buffer, reply: Buffer): void {
    this.#front.reply(client.id, request, reply);
  }

  stalled(client: FrontClient, heldBytes: number): void {
    this.#stalled.add(client, heldBytes);
  }

  flowing(client: FrontClient): void {
    this.#stalled.remove(client);
  }

  destroyed(client: FrontClient): void {
    this.#clients.delete(client.id);
    this.#front.closeClient(client.id);
  }

  #on(event: FrontEndEvent): void {
    switch (event.type) {
      case "opened": {
        const { type: _, client: id, ...peer } = event;
        this.#clients.set(id, new FrontClient({ id, ...peer }, this));
        break;
      }
      case "request":
        this.#clients.get(event.client)?.take(event.message);
        break;
      case "state":
        this.#clients.get(event.client)?.state(event);
        break;
      case "gone":
        this.#gone(event.client, event.reason);
        break;
      case "refused":
        this.#warnings[event.reason].happened({ clients: this.clientCount, limit: this.#room.limit });
        break;
      case "failed":
        this.#warnings.failed.happened({ errno: event.errno });
        break;
      case "empty":
        this.#whenEmpty?.();
        break;
      case "hits":
        this.#kept?.count();
        break;
      default:
        event satisfies never;
    }
  }

  #gone(id: number, reason: string): void {
    const client = this.#clients.get(id);
    this.#clients.delete(id);
    // One that has never asked anything is heard of only when what it sent was out of step.
    if (client === undefined) this.logger.debug("client connection closed", { client: id, reason });
    else client.gone(reason);
  }

  #stopListening(): void {
    for (const listener of this.#listeners.splice(0)) listener.withdraw();
    this.#front.closeListeners();
  }

  async #close(): Promise<void> {
    if (this.#isDestroyed) return;
    this.#stopListening();
    const isEmpty = new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    const cancel = this.clock.schedule(this.limits.closeMs, () => {
      this.#whenEmpty?.();
    });
    this.#front.finish();
    await isEmpty;
    cancel();
    this.destroy();
  }
}

/** The front end as a socket that is to listen. */
class FrontListener implements ListeningSocket {
  constructor(private readonly front: FrontEnd) {}

  onPath(path: string, backlog: number): Promise<void> {
    return settled(() => {
      this.front.listenPath(path, backlog);
    });
  }

  onTcp(host: string, port: number, backlog: number): Promise<number> {
    return settled(() => this.front.listenTcp(host, port, backlog));
  }

  onDescriptor(fd: number, backlog: number): Promise<void> {
    return settled(() => {
      this.front.listenDescriptor(fd, backlog);
    });
  }

  close(): void {
    this.front.closeListeners();
  }
}

/** What is thrown rejects. */
function settled<T>(call: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(call());
  });
}
