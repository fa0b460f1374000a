import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { VerbenaError } from "@verbena/ib";
import { simError } from "../errors.js";
import { traceFilter } from "../trace/trace-filter.js";
import { TraceStream } from "../trace/trace-stream.js";
import type { Commands } from "./commands.js";
import { describeAddress } from "./describe.js";
import { parseControlRequest } from "./parse-request.js";
import {
  CONTROL_SOCKET_NAME,
  CONTROL_VERSION,
  type ControlMessage,
  type ControlRequest,
  MAX_CONTROL_LINE,
  type TraceSelection,
} from "./protocol.js";

/** Bytes of the event log that may wait for a reader. */
const MAX_UNREAD = 256 * 1024 * 1024;
/** Bytes of address changes that may; what the first lines of a watch hold does not count. */
const MAX_UNREAD_ADDRESSES = 16 * 1024 * 1024;
/** What may wait for the reader of a trace; later packets are lost to it. */
const TRACE_BACKLOG_BYTES = 1 << 20;

/** The control socket of a fabric. Requests of one connection are answered in order. */
export class ControlServer {
  readonly #connections = new Set<ControlConnection>();
  #closing: Promise<void> | undefined;

  private constructor(
    private readonly server: Server,
    commands: Commands,
  ) {
    server.on("connection", (socket) => {
      const connection = new ControlConnection(socket, commands);
      this.#connections.add(connection);
      socket.once("close", () => this.#connections.delete(connection));
    });
  }

  /** @throws VerbenaError `VERBENA_SIM_DIR` if the socket cannot be made */
  static async listen(directory: string, commands: Commands): Promise<ControlServer> {
    const server = createServer();
    try {
      server.listen(join(directory, CONTROL_SOCKET_NAME));
      await once(server, "listening");
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw simError("VERBENA_SIM_DIR", { details: { dir: directory, problem }, cause: error });
    }
    return new ControlServer(server, commands);
  }

  /** Ends all connections and removes the socket; again: the same promise. */
  close(): Promise<void> {
    this.#closing ??= new Promise((settle) => {
      this.server.close(() => {
        settle();
      });
      for (const connection of this.#connections) connection.close();
    });
    return this.#closing;
  }
}

class ControlConnection {
  #rest = "";
  #queue: Promise<void> = Promise.resolve();
  readonly #endWatches: (() => void)[] = [];

  constructor(
    private readonly socket: Socket,
    private readonly commands: Commands,
  ) {
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      this.#take(chunk);
    });
    // A client that goes away is no fault of the fabric's; close follows.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      for (const end of this.#endWatches) end();
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #take(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > MAX_CONTROL_LINE) {
      this.#send(
        errorMessage(simError("VERBENA_SIM_CONTROL_REQUEST", { details: { problem: "the line is too long" } })),
      );
      this.socket.end();
      return;
    }
    for (const line of lines) {
      if (line.trim() !== "") this.#queue = this.#queue.then(() => this.#answer(line));
    }
  }

  async #answer(line: string): Promise<void> {
    // Its client has gone: a stream that begins now would never end.
    if (this.socket.destroyed) return;
    try {
      const request = parseControlRequest(line);
      if (request.op === "addresses" && request.watch === true) this.#watch(request);
      else if (request.op === "events" && request.watch === true) this.#watchEvents();
      else if (request.op === "trace") this.#trace(request);
      else this.#send({ type: "result", v: CONTROL_VERSION, result: await this.commands.run(request) });
    } catch (error) {
      this.#send(errorMessage(error));
    }
  }

  #watch({ node }: Extract<ControlRequest, { op: "addresses" }>): void {
    const hcas = this.commands.hcasOf(node);
    for (const entry of this.commands.addressesOn(hcas)) this.#send(describeAddress(entry, "add", hcas));
    this.#send({ type: "synced" });
    const limit = this.socket.writableLength + MAX_UNREAD_ADDRESSES;
    const end = this.commands.simulation.addresses.changes.add(({ event, address }) => {
      if (!hcas.includes(address.port.node)) return;
      // A change that is left out would make all later ones wrong; whoever connects again gets the whole table.
      if (this.socket.writableLength > limit) this.socket.destroy();
      else this.#send(describeAddress(address, event, hcas));
    });
    this.#endWatches.push(end);
  }

  #watchEvents(): void {
    const end = this.commands.surroundings.log.listen((entry) => {
      // One that does not read loses its stream, not the fabric its memory.
      if (this.socket.writableLength > MAX_UNREAD) this.socket.destroy();
      else this.#send({ type: "event", entry });
    });
    this.#endWatches.push(end);
  }

  #trace(selection: TraceSelection): void {
    const { socket } = this;
    const { fabric } = this.commands.simulation;
    const stream = new TraceStream(fabric, {
      filter: traceFilter(fabric, selection),
      reader: {
        isFull: () => socket.writableLength > TRACE_BACKLOG_BYTES,
        write: (message) => {
          this.#send(message);
        },
      },
      wallClock: () => performance.timeOrigin + performance.now(),
    });
    socket.on("drain", () => {
      stream.resume();
    });
    this.#endWatches.push(() => {
      stream.close();
    });
    this.#send({ type: "synced" });
  }

  #send(message: ControlMessage): void {
    if (this.socket.writable) this.socket.write(`${JSON.stringify(message)}\n`);
  }
}

function errorMessage(error: unknown): ControlMessage {
  if (VerbenaError.is(error)) {
    const { code, message, hint } = error;
    return { type: "error", v: CONTROL_VERSION, code, message, ...(hint === undefined ? {} : { hint }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { type: "error", v: CONTROL_VERSION, code: "VERBENA_SIM_CONTROL_REQUEST", message };
}
