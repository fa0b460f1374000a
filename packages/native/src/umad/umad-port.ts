import type { UmadAgent, UmadAgentOptions, UmadPort } from "../api/umad.js";
import type { UmadPortBinding } from "../binding.js";
import { NATIVE_ERRORS, nativeError } from "../errors.js";
import { errnoName, failure } from "../failure.js";
import { decodeBatch } from "./mad-header.js";
import { type AgentHome, OpenUmadAgent } from "./umad-agent.js";

/** What errnos mean here, where they mean something else in general. */
const REGISTER_HINTS: Readonly<Record<string, string>> = {
  ENOMEM: NATIVE_ERRORS.VERBENA_NATIVE_REGISTER.hint,
  EPROTONOSUPPORT: "The port does not carry this management class; an Ethernet (RoCE) port has no subnet management.",
};

/**
 * An open umad port. All agents share one descriptor: when one of them stops pulling, reading pauses for all of them (open the port again
 * for an agent that must not be held up by another). Keeps the process alive until it is closed.
 */
export class OpenUmadPort implements UmadPort {
  readonly #agents = new Map<number, OpenUmadAgent>();
  readonly #what: string;
  /** Agents whose queue is full. */
  #fullQueues = 0;
  #isStarted = false;
  #failure: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly binding: UmadPortBinding,
    readonly device: string,
    readonly port: number,
    /** Tells the parent that this child is gone. */
    private readonly onClose: (port: OpenUmadPort) => void,
  ) {
    this.#what = `umad port ${device}/${port}`;
  }

  registerAgent(options: UmadAgentOptions): UmadAgent {
    if (this.#closing !== undefined) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: this.#what } });
    const { mgmtClass, classVersion, rmppVersion = 0, methods = [] } = options;
    let agentId: number;
    try {
      if (!this.#isStarted) this.#start();
      agentId = this.binding.register(mgmtClass, classVersion, rmppVersion, methods);
    } catch (cause) {
      const hint = REGISTER_HINTS[errnoName(cause) ?? ""];
      throw failure("VERBENA_NATIVE_REGISTER", { mgmtClass, what: this.#what }, cause, hint);
    }
    const agent = new OpenUmadAgent(this.#homeOf(), agentId, options);
    if (this.#failure !== undefined) agent.fail(this.#failure);
    this.#agents.set(agentId, agent);
    return agent;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.close()));
    await this.binding.close();
    this.onClose(this);
  }

  #start(): void {
    this.binding.start(
      (batch) => {
        for (const { agentId, message } of decodeBatch(batch)) this.#agents.get(agentId)?.deliver(message);
      },
      (cause) => {
        this.#failure = failure("VERBENA_NATIVE_RECEIVE", { what: this.#what }, cause);
        for (const agent of this.#agents.values()) agent.fail(this.#failure);
      },
    );
    this.#isStarted = true;
  }

  /** What one agent may do with this port. A queue that is full when its agent closes no longer counts. */
  #homeOf(): AgentHome {
    let isFull = false;
    const setFull = (full: boolean): void => {
      if (isFull === full) return;
      isFull = full;
      const before = this.#fullQueues;
      this.#fullQueues += full ? 1 : -1;
      if ((before === 0) === (this.#fullQueues === 0)) return;
      if (this.#closing === undefined) this.binding.setReading(this.#fullQueues === 0);
    };
    return {
      what: this.#what,
      flow: { pause: () => setFull(true), resume: () => setFull(false) },
      send: (agentId, message, timeoutMs, retries) => this.binding.send(agentId, message, timeoutMs, retries),
      release: (agent) => {
        this.#agents.delete(agent.agentId);
        setFull(false);
        this.binding.unregister(agent.agentId);
      },
    };
  }
}
