import {
  decodeNetlinkError,
  decodeNetlinkHeader,
  encodeNetlinkSetTimeout,
  NetlinkLs,
  splitNetlinkMessages,
  VerbenaError,
} from "@verbena/ib";
import type { RdmaNetlink } from "@verbena/native";
import type { AcmEdgeCounters } from "../acm/edge-counters.js";
import type { ResolverEngine } from "../engine/contract.js";
import { OccasionalWarning } from "../sdk/occasional-warning.js";
import type { Clock, Logger } from "../sdk/services.js";
import { KernelRequestHandler } from "./kernel-handler.js";
import { type KernelLoss, refusal } from "./refusal.js";
import { KERNEL_ANSWERS, type KernelServiceState, type KernelServiceStatus } from "./status.js";

/** The kernel confirms while we send; only one that has no such service is silent. */
const CONFIRM_MS = 1_000;
/** First pause before what was lost is tried again, milliseconds; it doubles up to the second figure. */
const RETRY_MS = 1_000;
const RETRY_CAP_MS = 60_000;
/** Of the time the kernel waits, this share is kept for the way there and back, milliseconds at least. */
const MARGIN = { share: 0.1, minMs: 20 } as const;

/** What {@link KernelService} needs. */
export interface KernelServiceOptions {
  /** Opens the socket; may throw coded errors. Called at the start and again after a loss. */
  open(): RdmaNetlink;
  readonly engine: ResolverEngine;
  readonly edge: AcmEdgeCounters;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long the kernel shall wait for an answer, milliseconds. */
  readonly timeoutMs: number;
  readonly pid: number;
}

/**
 * The local service that the kernel asks for paths. It tells the kernel how long to wait for answers; whether the kernel confirms that
 * decides if it is served. Nothing that happens here ends the daemon: a function that is lost is logged once, shown by the status, and tried
 * again after pauses that grow to a minute: a module may be loaded later.
 */
export class KernelService implements AsyncDisposable {
  readonly #options: KernelServiceOptions;
  readonly #handler: KernelRequestHandler;
  readonly #overruns: OccasionalWarning;
  readonly #unsent: OccasionalWarning;
  #state: KernelServiceState = "starting";
  #loss: KernelLoss | undefined;
  #timeoutMs: number;
  #sequence = 0;
  #socket: RdmaNetlink | undefined;
  #cancelWait: () => void = () => undefined;
  #cancelRetry: () => void = () => undefined;
  #retryMs = RETRY_MS;
  #closing: Promise<void> | undefined;

  constructor(options: KernelServiceOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs;
    const { engine, edge, clock, logger, pid } = options;
    this.#overruns = new OccasionalWarning("the kernel dropped path queries that were not read in time", clock, logger);
    this.#unsent = new OccasionalWarning("the kernel does not take an answer", clock, logger);
    this.#handler = new KernelRequestHandler({ engine, edge, logger, pid, deadlineMs: () => this.#deadlineMs() });
  }

  /** How things stand. */
  get status(): KernelServiceStatus {
    return {
      state: this.#state,
      ...this.#loss,
      timeoutMs: this.#timeoutMs,
      requests: this.#handler.requests,
      failures: this.#handler.failures,
      overruns: this.#overruns.times,
    };
  }

  /** Opens the socket unless there is one, and tells the kernel how long to wait. Never throws: see {@link status}. */
  refresh(timeoutMs: number = this.#timeoutMs): void {
    if (this.#closing !== undefined) return;
    this.#timeoutMs = timeoutMs;
    this.#retryMs = RETRY_MS;
    this.#begin();
  }

  #begin(): void {
    this.#cancelRetry();
    try {
      const socket = this.#socket ?? this.#open();
      this.#sequence = (this.#sequence + 1) >>> 0;
      this.#cancelWait();
      this.#cancelWait = this.#options.clock.schedule(CONFIRM_MS, () => {
        // After a turn that was long the confirmation lies in the socket still: it is read before immediates run.
        const turn = setImmediate(() => {
          this.#lose(SILENCE);
        });
        this.#cancelWait = () => {
          clearImmediate(turn);
        };
      });
      const { pid } = this.#options;
      const [sequence, timeoutMs] = [this.#sequence, this.#timeoutMs];
      socket.send(encodeNetlinkSetTimeout({ sequence, pid, timeoutMs, wantsAck: true }));
    } catch (error) {
      this.#lose(lossOf(error));
    }
  }

  /** Idempotent. Requests in work get the failure message, with which the kernel asks the SA itself. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#cancelWait();
    this.#cancelRetry();
    this.#handler.close();
    // The answers to aborted requests are some turns of promises away.
    await new Promise(setImmediate);
    await this.#leave();
  }

  #deadlineMs(): number {
    return this.#timeoutMs - Math.max(MARGIN.minMs, Math.round(this.#timeoutMs * MARGIN.share));
  }

  #open(): RdmaNetlink {
    const socket = this.#options.open();
    this.#socket = socket;
    this.#read(socket).catch((error: unknown) => {
      if (this.#socket === socket) this.#lose(lossOf(error));
    });
    return socket;
  }

  async #read(socket: RdmaNetlink): Promise<void> {
    for await (const event of socket.events()) {
      if (event.type === "datagram") this.#receive(event.bytes, socket);
      else this.#overruns.happened();
    }
  }

  #receive(datagram: Buffer, socket: RdmaNetlink): void {
    const { messages, rest } = splitNetlinkMessages(datagram);
    if (rest > 0) this.#options.logger.debug("bytes of the kernel that are no netlink message", { bytes: rest });
    for (const message of messages) {
      if (decodeNetlinkHeader(message).type === NetlinkLs.ERROR) this.#heard(message);
      else this.#handler.handle(message, (answer) => this.#send(answer, socket));
    }
  }

  #send(answer: Buffer, socket: RdmaNetlink): void {
    try {
      socket.send(answer);
    } catch (error) {
      // Of a socket that was left meanwhile nobody expects an answer.
      if (socket === this.#socket) this.#unsent.happened({ ...lossOf(error) });
    }
  }

  /** The kernel confirms the time-out, or refuses something. */
  #heard(message: Buffer): void {
    if (message.length < MIN_ERROR_SIZE) return;
    const { errno, about } = decodeNetlinkError(message);
    if (about.type === NetlinkLs.SET_TIMEOUT) {
      if (about.sequence !== this.#sequence) return;
      this.#cancelWait();
      if (errno === 0) this.#confirmed();
      else this.#lose(refusal(errno));
    } else if (errno !== 0) {
      this.#options.logger.debug("the kernel refuses an answer", { type: about.type, errno });
    }
  }

  #confirmed(): void {
    this.#loss = undefined;
    this.#retryMs = RETRY_MS;
    if (this.#state === "serving") return;
    this.#state = "serving";
    this.#options.logger.info("path queries of the kernel are answered", { timeoutMs: this.#timeoutMs });
  }

  #lose(loss: KernelLoss): void {
    this.#cancelWait();
    // A listener that cannot answer would only make the kernel wait.
    void this.#leave();
    this.#retryLater();
    if (this.#state === "lost" && this.#loss?.reason === loss.reason) return;
    this.#state = "lost";
    this.#loss = loss;
    this.#options.logger.warn(`function lost: ${KERNEL_ANSWERS}`, { ...loss });
  }

  #retryLater(): void {
    this.#cancelRetry();
    if (this.#closing !== undefined) return;
    this.#cancelRetry = this.#options.clock.schedule(this.#retryMs, () => {
      this.#begin();
    });
    this.#retryMs = Math.min(RETRY_CAP_MS, this.#retryMs * 2);
  }

  async #leave(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    await socket?.close();
  }
}

/** Header, errno, header of the message it is about. */
const MIN_ERROR_SIZE = 36;

const SILENCE: KernelLoss = {
  reason: "the kernel does not confirm: it has no local service for RDMA",
  remedy: "Load RDMA with `modprobe ib_core`, or set `daemon.kernelService: false` to do without.",
};

function lossOf(error: unknown): KernelLoss {
  if (!VerbenaError.is(error)) return { reason: String(error) };
  return { reason: error.message, ...(error.hint === undefined ? {} : { remedy: error.hint }) };
}
