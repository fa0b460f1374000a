import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { VerbenaError } from "@verbena/ib";
import type { AddressMessage } from "../addresses/address-message.js";
import { simError } from "../errors.js";
import type { FabricLogEntry } from "../event-log/entries.js";
import {
  CONTROL_SOCKET_NAME,
  CONTROL_VERSION,
  type ControlMessage,
  type ControlRequest,
  type ControlResults,
  type SyncedMessage,
  type TraceLostMessage,
  type TracePacketMessage,
  type TraceSelection,
} from "./protocol.js";

/** What waits for the next line of the fabric. */
interface Waiter {
  readonly resolve: (message: ControlMessage) => void;
  readonly reject: (error: Error) => void;
}

/** How long the fabric may take for an answer; the longest, a sweep of OpenSM's size, needs a few seconds. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Steers a running fabric through its control socket. Requests may be made at once; they are carried out in order. */
export class SimControlClient implements AsyncDisposable {
  readonly #waiters: Waiter[] = [];
  #rest = "";
  #isClosed = false;
  #failure = simError("VERBENA_SIM_CONTROL_CLOSED");

  private constructor(
    private readonly socket: Socket,
    private readonly timeoutMs: number,
  ) {
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      const lines = (this.#rest + chunk).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") this.#waiters.shift()?.resolve(JSON.parse(line) as ControlMessage);
    });
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.#isClosed = true;
      for (const waiter of this.#waiters.splice(0)) waiter.reject(this.#failure);
    });
  }

  /**
   * Connects to the fabric in `dir`. `timeoutMs` is how long it may take for one answer, 30 s if not given.
   *
   * @throws VerbenaError `VERBENA_SIM_CONTROL_CONNECT`
   */
  static async connect(
    dir: string,
    { timeoutMs = REQUEST_TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
  ): Promise<SimControlClient> {
    return new SimControlClient(await open(dir), timeoutMs);
  }

  /**
   * Makes a request; the result's shape follows from `op`.
   *
   * @throws VerbenaError the fabric's error with its code and hint; `VERBENA_SIM_CONTROL_CLOSED` if the fabric ends first,
   * `VERBENA_SIM_CONTROL_TIMEOUT` if it does not answer: the connection is closed then, an answer that came later would be taken for another's
   */
  async request<R extends ControlRequest>(request: R): Promise<ControlResults[R["op"]]> {
    if (this.#isClosed) throw this.#failure;
    const message = await new Promise<ControlMessage>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#giveUp(request.op);
      }, this.timeoutMs);
      const answered = <T>(settle: (value: T) => void) => {
        return (value: T) => {
          clearTimeout(timer);
          settle(value);
        };
      };
      this.#waiters.push({ resolve: answered(resolve), reject: answered(reject) });
      this.socket.write(`${JSON.stringify({ v: CONTROL_VERSION, ...request, watch: undefined })}\n`);
    });
    return resultOf(message) as ControlResults[R["op"]];
  }

  #giveUp(op: string): void {
    this.#failure = simError("VERBENA_SIM_CONTROL_TIMEOUT", { details: { op, timeoutMs: this.timeoutMs } });
    this.socket.destroy();
  }

  /**
   * Lists the addresses of a node (of all, without `node`), then `synced`, then every change, on a connection of its own, until
   * the signal is aborted, the reader stops or the fabric ends.
   */
  static async *watchAddresses(
    dir: string,
    options: { readonly node?: string; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<AddressMessage | SyncedMessage, void, undefined> {
    const { node, signal } = options;
    const request: ControlRequest = { op: "addresses", watch: true, ...(node === undefined ? {} : { node }) };
    for await (const message of stream(dir, request, signal)) {
      if (message.type === "address" || message.type === "synced") yield message;
      else resultOf(message);
    }
  }

  /**
   * The event log of a fabric, beginning with a snapshot, on a connection of its own, until the signal is aborted, the reader stops
   * or the fabric ends. A reader that falls 256 MB behind loses the connection.
   */
  static async *watchEvents(
    dir: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<FabricLogEntry, void, undefined> {
    for await (const message of stream(dir, { op: "events", watch: true }, signal)) {
      if (message.type === "event") yield message.entry;
      else resultOf(message);
    }
  }

  /**
   * Follows the packets of the fabric: `synced` as soon as the trace is on, then what the selection lets through, on a connection of its
   * own, until the signal is aborted, the reader stops or the fabric ends. A reader that is too slow loses packets, and gets their number
   * as `lost`; the fabric does not wait.
   *
   * @throws VerbenaError `VERBENA_SIM_CONTROL_CONNECT`; `VERBENA_SIM_NODE_UNKNOWN`, `VERBENA_SIM_CONTROL_REQUEST` for a bad selection
   */
  static async *trace(
    dir: string,
    options: TraceSelection & { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<TracePacketMessage | TraceLostMessage | SyncedMessage, void, undefined> {
    const { signal, ...selection } = options;
    for await (const message of stream(dir, { op: "trace", ...selection }, signal)) {
      if (message.type === "packet" || message.type === "lost" || message.type === "synced") yield message;
      else resultOf(message);
    }
  }

  /** Closes the connection; open requests reject. */
  close(): Promise<void> {
    if (this.socket.destroyed) return Promise.resolve();
    return new Promise((settle) => {
      this.socket.once("close", () => {
        settle();
      });
      this.socket.destroy();
    });
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function resultOf(message: ControlMessage): unknown {
  if (message.type === "result") return message.result;
  if (message.type === "error") throw new VerbenaError(message.code, message.message, { hint: message.hint });
  throw simError("VERBENA_SIM_CONTROL_REQUEST", { details: { problem: `unexpected message ${message.type}` } });
}

/** What the fabric sends to a request with `watch`. */
async function* stream(
  dir: string,
  request: ControlRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<ControlMessage, void, undefined> {
  const socket = await open(dir);
  const abort = () => {
    socket.destroy();
  };
  signal?.addEventListener("abort", abort, { once: true });
  try {
    if (signal?.aborted) return;
    socket.setEncoding("utf8");
    socket.write(`${JSON.stringify({ v: CONTROL_VERSION, ...request })}\n`);
    let rest = "";
    for await (const chunk of socket as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as ControlMessage;
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
    socket.destroy();
  }
}

function open(dir: string): Promise<Socket> {
  const path = join(dir, CONTROL_SOCKET_NAME);
  return new Promise((settle, reject) => {
    const socket = connect(path);
    const fail = (error: Error) => {
      reject(simError("VERBENA_SIM_CONTROL_CONNECT", { details: { path, problem: error.message }, cause: error }));
    };
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.off("error", fail);
      settle(socket);
    });
  });
}
