import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { OptionNames } from "@verbena/ib";
import { checkOptions } from "../check-options.js";
import { coreError } from "../errors.js";
import { systemClock } from "../host/default-services.js";
import { OccasionalWarning } from "../sdk/occasional-warning.js";
import type { Clock, Logger } from "../sdk/services.js";
import { DescriptorRoom, descriptorOf } from "../server/descriptors.js";
import { listen, type OpenListener } from "../server/listen.js";
import { NodeListener } from "../server/node-listener.js";
import { describeFailure } from "./http-status.js";
import { CONTROL_ROUTES, type ControlAnswer, type ControlHost } from "./routes.js";

/** What a control server needs. */
export interface ControlServerOptions {
  /** Path of the Unix socket. */
  readonly path: string;
  /** Permissions of the socket. Default 0660: who may use it may change the daemon's state. */
  readonly mode?: number;
  readonly host: ControlHost;
  readonly logger: Logger;
  /** For warnings that keep quiet for a while. Default: the system's. */
  readonly clock?: Clock;
}

const OPTIONS: OptionNames<ControlServerOptions> = { path: true, mode: true, host: true, logger: true, clock: true };

const MAX_CONNECTIONS = 256;

/** The control socket: HTTP and JSON under `/v1` on a Unix socket. */
export interface ControlServer extends AsyncDisposable {
  readonly path: string;
  /** Ends watches, aborts requests in work and closes. Idempotent. */
  close(): Promise<void>;
}

/** Starts the control server. Rejects with VERBENA_SERVER_LISTEN, VERBENA_SERVER_PATH, VERBENA_SERVER_PATH_LENGTH or VERBENA_OPTION_UNKNOWN. */
export async function createControlServer(options: ControlServerOptions): Promise<ControlServer> {
  checkOptions("createControlServer", options, OPTIONS);
  const server = new HttpControlServer(options);
  await server.open();
  return server;
}

class HttpControlServer implements ControlServer {
  readonly path: string;
  readonly #options: ControlServerOptions;
  readonly #server: Server;
  readonly #clients = new WeakMap<Socket, number>();
  readonly #closing = new AbortController();
  #listener: OpenListener | undefined;
  #nextClient = 1;
  #closed: Promise<void> | undefined;

  constructor(options: ControlServerOptions) {
    this.#options = options;
    this.path = options.path;
    this.#server = createServer((request, response) => {
      void this.#serve(request, response);
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    const { clock = systemClock, logger } = options;
    const isFull = new OccasionalWarning("no more connections are taken on the control socket", clock, logger);
    const hasNoDescriptor = new OccasionalWarning(
      "control connections are refused: the process's limit on open files is reached",
      clock,
      logger,
    );
    const room = new DescriptorRoom(clock);
    this.#server.on("drop", () => {
      isFull.happened({ connections: MAX_CONNECTIONS });
    });
    this.#server.on("connection", (socket) => {
      if (!room.has(descriptorOf(socket))) {
        socket.destroy();
        hasNoDescriptor.happened({ limit: room.limit });
        return;
      }
      this.#clients.set(socket, this.#nextClient++);
    });
  }

  async open(): Promise<void> {
    const { path, mode = 0o660 } = this.#options;
    this.#listener = await listen(new NodeListener(this.#server), { kind: "unix", path, mode });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#listener?.withdraw();
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    this.#closing.abort();
    this.#server.closeIdleConnections();
    // Answers that tell of the abort are written in the next turn; whoever does not take them is cut off.
    await new Promise((resolve) => setImmediate(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => {
      gone.abort();
    });
    // A client that goes away in the middle of a write is no trouble of ours.
    response.on("error", () => undefined);
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    try {
      const answer = await this.#answer(request, signal);
      if (answer.kind === "json") send(response, 200, answer.body);
      else await stream(response, answer.lines, signal);
    } catch (error) {
      // It ended in the middle of its request: there is nobody to answer, and nothing of ours has failed.
      if (error === request.errored) return;
      this.#fail(request, response, error);
    }
  }

  #fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const { status, body } = describeFailure(error);
    if (status === 500) {
      this.#options.logger.error("control request failed", { method: request.method, url: request.url, error });
    }
    if (response.headersSent) response.destroy();
    else send(response, status, body, status === 413);
  }

  #answer(request: IncomingMessage, signal: AbortSignal): ControlAnswer | Promise<ControlAnswer> {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const methods = Object.hasOwn(CONTROL_ROUTES, path) ? CONTROL_ROUTES[path] : undefined;
    if (methods === undefined) throw coreError("VERBENA_CONTROL_NOT_FOUND", { details: { path } });
    const method = request.method ?? "";
    const route = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (route === undefined) {
      throw coreError("VERBENA_CONTROL_METHOD", {
        details: { path, method, allowed: Object.keys(methods).join(", ") },
      });
    }
    return route(this.#options.host, { request, signal, client: this.#clients.get(request.socket) ?? 0 });
  }
}

function send(response: ServerResponse, status: number, body: unknown, isLast = false): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...(isLast ? { connection: "close" } : {}),
  });
  response.end(text);
}

async function stream(response: ServerResponse, lines: AsyncIterable<unknown>, signal: AbortSignal): Promise<void> {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  try {
    for await (const line of lines) {
      if (signal.aborted) break;
      if (!response.write(`${JSON.stringify(line)}\n`)) await drained(response, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  response.end();
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    response.once("drain", resolve);
    signal.addEventListener(
      "abort",
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
