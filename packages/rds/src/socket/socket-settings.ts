import type { SocketBackend } from "@verbena/core/sdk";
import { type OptionNames, unknownOption } from "@verbena/ib";
import { DEFAULT_BUFFER_SIZE } from "../engine/engine-socket.js";
import { rdsError } from "../errors.js";
import { invalid } from "./ends.js";
import type { RdsSocketOptions } from "./types.js";

const OPTIONS: OptionNames<RdsSocketOptions> = {
  sendBufferSize: true,
  receiveBufferSize: true,
  sendTimeoutMs: true,
  receiveTimeoutMs: true,
  timestamps: true,
  transport: true,
};

/** Least limits, payload bytes, as Linux has them. */
const MIN_SEND = 2304;
const MIN_RECEIVE = 1152;

/** What a socket has been told, from its birth on; the back end is told when there is one, and has the last word then. */
export class SocketSettings {
  #backend: SocketBackend | undefined;
  #sendBufferSize = DEFAULT_BUFFER_SIZE;
  #receiveBufferSize = DEFAULT_BUFFER_SIZE;
  #sendTimeoutMs = 0;
  #receiveTimeoutMs = 0;
  #timestamps = false;
  #monitored: bigint | "refused" | undefined;

  /** Throws `VERBENA_RDS_OPTION`, `VERBENA_RDS_EINVAL`. */
  constructor(options: RdsSocketOptions) {
    const problem = unknownOption(options, OPTIONS);
    if (problem !== undefined) throw rdsError("VERBENA_RDS_OPTION", { details: { of: "createSocket", problem } });
    if (options.sendBufferSize !== undefined) this.sendBufferSize = options.sendBufferSize;
    if (options.receiveBufferSize !== undefined) this.receiveBufferSize = options.receiveBufferSize;
    if (options.sendTimeoutMs !== undefined) this.sendTimeoutMs = options.sendTimeoutMs;
    if (options.receiveTimeoutMs !== undefined) this.receiveTimeoutMs = options.receiveTimeoutMs;
    if (options.timestamps !== undefined) this.timestamps = options.timestamps;
  }

  /** Tells a back end all that has been set so far, and what will be. */
  apply(backend: SocketBackend): void {
    this.#backend = backend;
    backend.limits.sendBufferSize = this.#sendBufferSize;
    backend.limits.receiveBufferSize = this.#receiveBufferSize;
    backend.timestamps = this.#timestamps;
    backend.monitorCongestion(this.#monitored);
  }

  /** That back end came to nothing. */
  detach(): void {
    this.#backend = undefined;
  }

  get sendBufferSize(): number {
    return this.#backend?.limits.sendBufferSize ?? this.#sendBufferSize;
  }

  set sendBufferSize(bytes: number) {
    this.#sendBufferSize = Math.max(MIN_SEND, checked("sendBufferSize", bytes));
    if (this.#backend !== undefined) this.#backend.limits.sendBufferSize = this.#sendBufferSize;
  }

  get receiveBufferSize(): number {
    return this.#backend?.limits.receiveBufferSize ?? this.#receiveBufferSize;
  }

  set receiveBufferSize(bytes: number) {
    this.#receiveBufferSize = Math.max(MIN_RECEIVE, checked("receiveBufferSize", bytes));
    if (this.#backend !== undefined) this.#backend.limits.receiveBufferSize = this.#receiveBufferSize;
  }

  get sendTimeoutMs(): number {
    return this.#sendTimeoutMs;
  }

  set sendTimeoutMs(milliseconds: number) {
    this.#sendTimeoutMs = checked("sendTimeoutMs", milliseconds);
  }

  get receiveTimeoutMs(): number {
    return this.#receiveTimeoutMs;
  }

  set receiveTimeoutMs(milliseconds: number) {
    this.#receiveTimeoutMs = checked("receiveTimeoutMs", milliseconds);
  }

  get timestamps(): boolean {
    return this.#timestamps;
  }

  set timestamps(wanted: boolean) {
    this.#timestamps = wanted;
    if (this.#backend !== undefined) this.#backend.timestamps = wanted;
  }

  monitor(mask: bigint | "refused" | undefined): void {
    this.#monitored = mask;
    this.#backend?.monitorCongestion(mask);
  }

  get monitoredPorts(): bigint | undefined {
    if (this.#backend !== undefined) return this.#backend.monitoredPorts;
    return this.#monitored === "refused" ? 0n : this.#monitored;
  }
}

function checked(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return Math.floor(value);
  throw invalid(`${name} must be a number that is not negative, not ${String(value)}`);
}
