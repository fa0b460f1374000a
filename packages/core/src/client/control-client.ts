import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { type OptionNames, VerbenaError } from "@verbena/ib";
import { checkOptions } from "../check-options.js";
import type {
  CacheJson,
  ChangeJson,
  ClientsJson,
  EndpointsJson,
  ErrorJson,
  ExplainJson,
  ExplainRequestJson,
  FlushJson,
  GroupCheckJson,
  GroupCheckRequestJson,
  ProviderReportJson,
  ReloadJson,
  ResolveJson,
  ResolveRequestJson,
  StatsJson,
  StatusJson,
} from "../control/wire.js";
import { coreError } from "../errors.js";

/** Where the daemon's control socket is. */
export interface ControlClientOptions {
  /** Path of the control socket: by default the daemon's socket and `.ctl`. */
  readonly path: string;
  /** How long one answer may take, milliseconds. Default 30000; a watch has no limit. */
  readonly timeoutMs?: number;
}

/** What each call may be given. */
export interface ControlCallOptions {
  readonly signal?: AbortSignal;
  /** Overrides the client's, milliseconds. */
  readonly timeoutMs?: number;
}

const CALL_OPTIONS: OptionNames<ControlCallOptions> = { signal: true, timeoutMs: true };

/** What `watchProviders` may be given. */
export interface ProviderWatchOptions {
  readonly signal?: AbortSignal;
  /** Key of an endpoint, as `endpoints()` has it. Default: all. */
  readonly endpoint?: string;
}

const PROVIDER_WATCH_OPTIONS: OptionNames<ProviderWatchOptions> = { signal: true, endpoint: true };

const DEFAULT_TIMEOUT_MS = 30_000;
/** Longest time a timer of Node takes; a longer one would run at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Nothing the daemon says in one answer is longer: a full cache listing is well below. */
const MAX_ANSWER_BYTES = 268_435_456;

/**
 * Client of a daemon's control socket. Pure TypeScript, no native code.
 *
 * Every call rejects with VERBENA_CLIENT_CONNECT (no daemon there), _TIMEOUT, _ABORTED, _CLOSED, _PROTOCOL (no Verbena daemon), or
 * VERBENA_OPTION_UNKNOWN, or with the code the daemon gave: its errors arrive as they were thrown there, with message and hint.
 */
export class ControlClient implements AsyncDisposable {
  readonly path: string;
  readonly #timeoutMs: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  /** Requests in work, and why we ended them ourselves: Node reports its own idea of that. */
  readonly #open = new Map<ClientRequest, Error | undefined>();
  #isClosed = false;

  /** Throws VERBENA_OPTION_UNKNOWN. */
  constructor(options: ControlClientOptions) {
    checkOptions("ControlClient", options, { path: true, timeoutMs: true });
    this.path = options.path;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** The daemon's own state: version, uptime, sockets, providers. */
  status(options?: ControlCallOptions): Promise<StatusJson> {
    return this.#call("GET", "/v1/status", undefined, options);
  }

  /** Endpoints with state, addresses and counters. */
  endpoints(options?: ControlCallOptions): Promise<EndpointsJson> {
    return this.#call("GET", "/v1/endpoints", undefined, options);
  }

  /** Counters summed over all endpoints, and those of each. */
  stats(options?: ControlCallOptions): Promise<StatsJson> {
    return this.#call("GET", "/v1/stats", undefined, options);
  }

  /** Who asks, and who makes the daemon ask the SA; since its start or last change of configuration. */
  clients(options?: ControlCallOptions): Promise<ClientsJson> {
    return this.#call("GET", "/v1/clients", undefined, options);
  }

  /** What the caches hold now. */
  cache(options?: ControlCallOptions): Promise<CacheJson> {
    return this.#call("GET", "/v1/cache", undefined, options);
  }

  /** Drops one destination from the caches, or everything. */
  flush(destination?: string, options?: ControlCallOptions): Promise<FlushJson> {
    return this.#call("POST", "/v1/cache/flush", destination === undefined ? {} : { destination }, options);
  }

  /** Waits as long as the daemon does: the request's own deadline counts, not the client's time limit, unless one is given. */
  resolve(request: ResolveRequestJson, options: ControlCallOptions = {}): Promise<ResolveJson> {
    const timeoutMs = options.timeoutMs ?? Math.max(this.#timeoutMs, (request.deadlineMs ?? 0) + DEFAULT_TIMEOUT_MS);
    return this.#call("POST", "/v1/resolve", request, { ...options, timeoutMs });
  }

  /** Resolves and tells each step; a failure to resolve is part of the answer. Waits as `resolve` does. */
  explain(request: ExplainRequestJson, options: ControlCallOptions = {}): Promise<ExplainJson> {
    const timeoutMs = options.timeoutMs ?? Math.max(this.#timeoutMs, (request.deadlineMs ?? 0) + DEFAULT_TIMEOUT_MS);
    return this.#call("POST", "/v1/explain", request, { ...options, timeoutMs });
  }

  /** Compares the paths that multicast groups would give with those of the SA. Waits as `resolve` does. */
  checkGroups(request: GroupCheckRequestJson, options: ControlCallOptions = {}): Promise<GroupCheckJson> {
    const timeoutMs = options.timeoutMs ?? Math.max(this.#timeoutMs, (request.deadlineMs ?? 0) + DEFAULT_TIMEOUT_MS);
    return this.#call("POST", "/v1/multicast/check", request, { ...options, timeoutMs });
  }

  /** Rejects with VERBENA_CONFIG_INVALID when the files have errors; the daemon goes on with what it has. */
  reload(options?: ControlCallOptions): Promise<ReloadJson> {
    return this.#call("POST", "/v1/reload", {}, options);
  }

  /** Changes as they happen; the first item is `{ type: "watching" }`. Ends when the daemon stops; rejects when aborted. */
  async *watch(options: Pick<ControlCallOptions, "signal"> = {}): AsyncGenerator<ChangeJson> {
    checkOptions<Pick<ControlCallOptions, "signal">>("ControlClient: watch", options, { signal: true });
    yield* this.#lines<ChangeJson>("/v1/watch", options.signal);
  }

  /** What the providers do and see, on one endpoint or on all; otherwise as `watch`. */
  async *watchProviders(options: ProviderWatchOptions = {}): AsyncGenerator<ProviderReportJson> {
    checkOptions("ControlClient: watchProviders", options, PROVIDER_WATCH_OPTIONS);
    const { endpoint, signal } = options;
    const query = endpoint === undefined ? "" : `?${new URLSearchParams({ endpoint }).toString()}`;
    yield* this.#lines<ProviderReportJson>(`/v1/providers/watch${query}`, signal);
  }

  /** Ends what is in work. Idempotent. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const request of this.#open.keys()) this.#end(request, this.#closedError());
    this.#agent.destroy();
    return Promise.resolve();
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *#lines<T>(path: string, signal: AbortSignal | undefined): AsyncGenerator<T> {
    const response = await this.#send("GET", path, undefined, {
      timeoutMs: 0,
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.statusCode !== 200) throw this.#failure(response, await readAll(response, this.path));
    try {
      for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })) {
        if (line !== "") yield this.#parse(line) as T;
      }
    } catch (cause) {
      if (VerbenaError.is(cause)) throw cause;
      // The connection broke; why we broke it ourselves, if we did, is said below.
    } finally {
      response.destroy();
    }
    if (signal?.aborted === true) throw aborted(signal);
    if (this.#isClosed || !response.complete) throw this.#closedError();
  }

  async #call<T>(method: string, path: string, body: unknown, options: ControlCallOptions = {}): Promise<T> {
    checkOptions(`ControlClient: ${path}`, options, CALL_OPTIONS);
    const response = await this.#send(method, path, body, options);
    const text = await readAll(response, this.path);
    if (response.statusCode !== 200) throw this.#failure(response, text);
    return this.#parse(text) as T;
  }

  #send(method: string, path: string, body: unknown, options: ControlCallOptions): Promise<IncomingMessage> {
    if (this.#isClosed) return Promise.reject(this.#closedError());
    const { signal } = options;
    const timeoutMs = Math.min(options.timeoutMs ?? this.#timeoutMs, MAX_TIMER_MS);
    const text = body === undefined ? "" : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      let request: ClientRequest;
      const onAbort = (): void => {
        this.#end(request, aborted(signal));
      };
      const timer =
        timeoutMs === 0
          ? undefined
          : setTimeout(() => {
              this.#end(request, timedOut(this.path, `${method} ${path}`, timeoutMs));
            }, timeoutMs);
      const settled = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const attempt = (): void => {
        const current = httpRequest({
          socketPath: this.path,
          method,
          path,
          agent: this.#agent,
          headers: { host: "localhost", "content-type": "application/json", "content-length": Buffer.byteLength(text) },
        });
        request = current;
        let isRepeated = false;
        this.#open.set(current, undefined);
        current.on("close", () => {
          this.#open.delete(current);
          if (!isRepeated) settled();
        });
        current.on("response", resolve);
        current.on("error", (error) => {
          const reason = this.#open.get(current);
          if (reason === undefined && wasClosedWhileIdle(current, error)) {
            isRepeated = true;
            attempt();
          } else reject(reason ?? this.#connectError(error));
        });
        current.end(text);
      };
      attempt();
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  #end(request: ClientRequest, reason: Error): void {
    this.#open.set(request, reason);
    request.destroy(reason);
  }

  #closedError(): Error {
    return coreError("VERBENA_CLIENT_CLOSED", { details: { service: this.path } });
  }

  #connectError(error: Error): Error {
    if (VerbenaError.is(error)) return error;
    const { errno, syscall } = error as NodeJS.ErrnoException;
    return coreError("VERBENA_CLIENT_CONNECT", {
      details: { service: this.path, reason: error.message },
      cause: error,
      ...(errno === undefined ? {} : { errno: Math.abs(errno) }),
      ...(syscall === undefined ? {} : { syscall }),
    });
  }

  #failure(response: IncomingMessage, text: string): Error {
    const { error } = this.#parse(text) as Partial<ErrorJson>;
    if (typeof error?.code !== "string") {
      const what = `HTTP status ${String(response.statusCode)} without a code`;
      return coreError("VERBENA_CLIENT_PROTOCOL", { details: { service: this.path, what } });
    }
    return new VerbenaError(error.code, error.message, { hint: error.hint });
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw coreError("VERBENA_CLIENT_PROTOCOL", {
        details: { service: this.path, what: "text that is not JSON" },
        cause,
      });
    }
  }
}

/**
 * The daemon may close a connection that was idle, or be started anew, just when it is used again. Nothing it was asked there is
 * lost by asking again on another: no request of the control socket does more when it comes twice. Each failure takes one idle
 * connection out of the pool, so this ends.
 */
function wasClosedWhileIdle(request: ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
}

function timedOut(service: string, operation: string, deadlineMs: number): Error {
  return coreError("VERBENA_CLIENT_TIMEOUT", { details: { service, operation, deadlineMs } });
}

function aborted(signal: AbortSignal | undefined): Error {
  return coreError("VERBENA_CLIENT_ABORTED", { cause: signal?.reason });
}

async function readAll(response: IncomingMessage, service: string): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > MAX_ANSWER_BYTES) {
        throw coreError("VERBENA_CLIENT_PROTOCOL", { details: { service, what: "an endless answer" } });
      }
      pieces.push(piece);
    }
  } catch (cause) {
    if (VerbenaError.is(cause)) throw cause;
    throw coreError("VERBENA_CLIENT_CLOSED", { details: { service }, cause });
  }
  return Buffer.concat(pieces).toString("utf8");
}
