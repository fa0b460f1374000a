import { createConnection, type Socket } from "node:net";
import { ACM_HEADER_SIZE, decodeAcmReplyHeader } from "@verbena/ib";
import { coreError } from "../errors.js";
import { systemClock } from "../host/default-services.js";
import type { Clock } from "../sdk/services.js";
import { type AcmCallOptions, DEFAULT_DEADLINE_MS } from "./acm-call.js";

/** Where the service is. */
export type AcmServiceAddress =
  | { readonly socketPath: string }
  | { readonly host: string /** Default 6125. */; readonly port?: number };

/** What a connection may be told beside the address. */
export interface AcmConnectionOptions {
  /**
   * Send requests without waiting for the replies before. Verbena answers such requests; the real ibacm closes the connection when
   * two arrive in one read, so the default is one open request at a time.
   */
  readonly pipelined?: boolean;
  readonly clock?: Clock;
}

/** Port of the service where no port file says otherwise. */
export const ACM_DEFAULT_PORT = 6125;

interface Call {
  readonly request: Buffer;
  readonly tid: bigint;
  readonly settle: (reply: Buffer | Error) => void;
}

/** One connection to the service: sends requests, cuts the replies out of the stream, matches them by transaction id. */
export class AcmConnection {
  /** Path, or host and port, for messages. */
  readonly service: string;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #isPipelined: boolean;
  /** Not yet sent, in order. */
  readonly #waiting: Call[] = [];
  readonly #open = new Map<bigint, Call>();
  #nextTid = 1n;
  #input: Buffer = Buffer.alloc(0);
  #failure: Error | undefined;
  readonly #closed: Promise<void>;

  private constructor(socket: Socket, service: string, options: AcmConnectionOptions) {
    this.service = service;
    this.#socket = socket;
    this.#clock = options.clock ?? systemClock;
    this.#isPipelined = options.pipelined ?? false;
    this.#closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#fail(coreError("VERBENA_CLIENT_CLOSED", { details: { service } }));
        resolve();
      });
    });
    socket.on("error", (cause) => {
      this.#fail(coreError("VERBENA_CLIENT_CLOSED", { details: { service }, cause }));
    });
    socket.on("data", (piece: Buffer) => {
      this.#read(piece);
    });
  }

  /** Rejects with VERBENA_CLIENT_CONNECT, VERBENA_CLIENT_TIMEOUT or VERBENA_CLIENT_ABORTED. */
  static async open(
    address: AcmServiceAddress,
    call: AcmCallOptions,
    options: AcmConnectionOptions = {},
  ): Promise<AcmConnection> {
    const service = describe(address);
    const clock = options.clock ?? systemClock;
    const socket = createConnection(
      "socketPath" in address
        ? { path: address.socketPath }
        : { host: address.host, port: address.port ?? ACM_DEFAULT_PORT, noDelay: true },
    );
    try {
      await within(clock, { service, operation: "connect" }, call, (settle) => {
        socket.once("connect", () => {
          settle(undefined);
        });
        socket.once("error", (cause: NodeJS.ErrnoException) => {
          settle(connectError(service, cause));
        });
      });
    } catch (error) {
      socket.on("error", () => undefined);
      socket.destroy();
      throw error;
    }
    socket.removeAllListeners("error");
    return new AcmConnection(socket, service, options);
  }

  /**
   * Sends one request and gives its reply, whole and as it came. `encode` gets the transaction id to use. Rejects with
   * VERBENA_CLIENT_CLOSED, _TIMEOUT, _ABORTED or _PROTOCOL; the connection stays usable after a time-out or an abort.
   */
  async exchange(operation: string, encode: (tid: bigint) => Buffer, options: AcmCallOptions): Promise<Buffer> {
    if (this.#failure !== undefined) throw this.#failure;
    const tid = this.#nextTid++;
    const request = encode(tid);
    let call: Call | undefined;
    try {
      return await within<Buffer>(this.#clock, { service: this.service, operation }, options, (settle) => {
        call = { request, tid, settle };
        this.#waiting.push(call);
        this.#send();
      });
    } finally {
      this.#forget(call);
    }
  }

  /** Settles what is pending with VERBENA_CLIENT_CLOSED and closes. Idempotent. */
  async close(): Promise<void> {
    this.#fail(coreError("VERBENA_CLIENT_CLOSED", { details: { service: this.service } }));
    await this.#closed;
  }

  #send(): void {
    while (this.#waiting.length > 0 && (this.#isPipelined || this.#open.size === 0)) {
      const call = this.#waiting.shift();
      if (call === undefined) return;
      this.#open.set(call.tid, call);
      this.#socket.write(call.request);
    }
  }

  /** After a reply or a given-up wait. A late reply finds no call and is dropped. */
  #forget(call: Call | undefined): void {
    if (call === undefined) return;
    const at = this.#waiting.indexOf(call);
    if (at >= 0) this.#waiting.splice(at, 1);
    this.#open.delete(call.tid);
    this.#send();
  }

  #read(piece: Buffer): void {
    this.#input = this.#input.length === 0 ? piece : Buffer.concat([this.#input, piece]);
    while (this.#input.length >= ACM_HEADER_SIZE) {
      const { length, tid } = decodeAcmReplyHeader(this.#input);
      if (length < ACM_HEADER_SIZE) {
        const details = { service: this.service, what: `a length of ${length}` };
        this.#fail(coreError("VERBENA_CLIENT_PROTOCOL", { details }));
        return;
      }
      if (this.#input.length < length) return;
      const reply = this.#input.subarray(0, length);
      this.#input = this.#input.subarray(length);
      this.#open.get(tid)?.settle(reply);
    }
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#socket.destroy();
    for (const call of [...this.#open.values(), ...this.#waiting]) call.settle(error);
  }
}

function describe(address: AcmServiceAddress): string {
  return "socketPath" in address ? address.socketPath : `${address.host}:${address.port ?? ACM_DEFAULT_PORT}`;
}

function connectError(service: string, cause: NodeJS.ErrnoException): Error {
  return coreError("VERBENA_CLIENT_CONNECT", {
    details: { service, reason: cause.message },
    cause,
    errno: cause.errno === undefined ? undefined : Math.abs(cause.errno),
    syscall: cause.syscall,
  });
}

/** Runs `start` until it settles, the deadline passes or the signal is aborted. */
async function within<T>(
  clock: Clock,
  details: { readonly service: string; readonly operation: string },
  { signal, deadlineMs = DEFAULT_DEADLINE_MS }: AcmCallOptions,
  start: (settle: (outcome: T | Error) => void) => void,
): Promise<T> {
  const aborted = (): Error => coreError("VERBENA_CLIENT_ABORTED", { details, cause: signal?.reason });
  if (signal?.aborted === true) throw aborted();
  let onAbort: (() => void) | undefined;
  let cancel: (() => void) | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      const settle = (outcome: T | Error): void => {
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      onAbort = () => {
        reject(aborted());
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      cancel = clock.schedule(deadlineMs, () => {
        reject(coreError("VERBENA_CLIENT_TIMEOUT", { details: { ...details, deadlineMs } }));
      });
      start(settle);
    });
  } finally {
    cancel?.();
    if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
  }
}
