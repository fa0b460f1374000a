import type { UmadAgent, UmadAgentOptions, UmadMessage, UmadSendOptions } from "../api/umad.js";
import { nativeError } from "../errors.js";
import { calling } from "../failure.js";
import { type QueueFlow, SingleReaderQueue } from "../streams/single-reader-queue.js";
import { encodeMadMessage } from "./mad-header.js";

/** What an agent needs of its port. */
export interface AgentHome {
  readonly what: string;
  readonly flow: QueueFlow;
  send(agentId: number, message: Uint8Array, timeoutMs: number, retries: number): void;
  release(agent: OpenUmadAgent): void;
}

/** A registered agent; its port feeds it with {@link OpenUmadAgent.deliver}. */
export class OpenUmadAgent implements UmadAgent {
  readonly #queue: SingleReaderQueue<UmadMessage>;
  #isClosed = false;

  constructor(
    private readonly home: AgentHome,
    readonly agentId: number,
    readonly options: UmadAgentOptions,
  ) {
    this.#queue = new SingleReaderQueue<UmadMessage>(this.#what(), home.flow);
  }

  send(mad: Uint8Array, options: UmadSendOptions): void {
    this.#needOpen();
    const message = encodeMadMessage(options.to, mad);
    calling("VERBENA_NATIVE_SEND", { what: this.home.what }, () => {
      this.home.send(this.agentId, message, options.timeoutMs, options.retries);
    });
  }

  messages(): AsyncIterableIterator<UmadMessage> {
    this.#needOpen();
    return this.#queue.read();
  }

  /** For the port. */
  deliver(message: UmadMessage): void {
    this.#queue.push(message);
  }

  /** For the port: nothing will arrive any more. */
  fail(error: Error): void {
    this.#queue.fail(error);
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.home.release(this);
      this.#queue.end(true);
    }
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #what(): string {
    return `agent ${this.agentId} on ${this.home.what}`;
  }

  #needOpen(): void {
    if (this.#isClosed) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: this.#what() } });
  }
}
