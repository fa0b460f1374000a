import type { ControlMessage, DatagramErrno, SocketBackend } from "@verbena/core/sdk";
import { IpAddress, type VerbenaError } from "@verbena/ib";
import { payloadLength } from "../engine/outgoing-message.js";
import { errnoError } from "../errors.js";
import { checkControl } from "./control.js";
import { destinationEnd, invalid, RdsAddress, type RdsAddressInput } from "./ends.js";
import type { Readiness } from "./readiness.js";
import type { SocketContext } from "./socket-context.js";
import type { SocketSettings } from "./socket-settings.js";
import type { RdsSendOptions } from "./types.js";
import { WaitList, type WaitOptions } from "./wait-list.js";

type Payload = Uint8Array | readonly Uint8Array[];

/** A message that waits to be queued. */
interface Waiting {
  readonly to: RdsAddress;
  readonly payload: Payload;
  readonly control: readonly ControlMessage[];
}

/** Errnos that pass by themselves. */
const PASSING: ReadonlySet<DatagramErrno> = new Set(["EAGAIN", "ENOBUFS"]);

/** The sending half of a socket: destinations are checked, who must wait does so, messages to one destination keep their order. */
export class Sender {
  /** The default destination. */
  connected: RdsAddress | undefined;
  readonly #context: SocketContext;
  readonly #settings: SocketSettings;
  readonly #readiness: Readiness;
  /** Waits for room, which have a time-out, and for a congested port, which on Linux have none. */
  readonly #waits: WaitList<Waiting, number>;
  readonly #drains: WaitList<undefined, undefined>;
  #backend: SocketBackend | undefined;
  #local: RdsAddress | undefined;
  #closed: Error | undefined;
  /** The last destination that was checked, as it was named. */
  #checked: { readonly input: Exclude<RdsAddressInput, string>; readonly to: RdsAddress } | undefined;

  constructor(context: SocketContext, settings: SocketSettings, readiness: Readiness) {
    this.#context = context;
    this.#settings = settings;
    this.#readiness = readiness;
    this.#waits = new WaitList(context.clock, "sending");
    this.#drains = new WaitList(context.clock, "draining");
  }

  bound(backend: SocketBackend, local: RdsAddress): void {
    this.#backend = backend;
    this.#local = local;
  }

  trySend(payload: Payload, options: RdsSendOptions): number {
    if (this.#closed !== undefined) throw this.#closed;
    const waiting = this.#prepare(payload, options);
    const refusal = this.#isBehind(waiting.to) ? "EAGAIN" : this.#attempt(waiting);
    if (refusal === undefined) return payloadLength(payload);
    throw this.#error(refusal, waiting);
  }

  async send(payload: Payload, options: RdsSendOptions): Promise<number> {
    if (this.#closed !== undefined) throw this.#closed;
    const waiting = this.#prepare(payload, options);
    const refusal = this.#isBehind(waiting.to) ? "EAGAIN" : this.#attempt(waiting);
    if (refusal === undefined) return payloadLength(payload);
    if (!PASSING.has(refusal)) throw this.#error(refusal, waiting);
    const { signal, timeoutMs = this.#settings.sendTimeoutMs } = options;
    const isEndless = refusal === "ENOBUFS" && this.#context.semantics === "linux";
    return this.#waits.wait(waiting, {
      timeoutMs: isEndless ? 0 : timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async drain(options: WaitOptions): Promise<void> {
    if (this.#closed !== undefined) throw this.#closed;
    if (this.#backend === undefined || this.#isDrained) return;
    if (this.#backend.pendingMessages === undefined) {
      throw errnoError("EOPNOTSUPP", {
        reason: `transport ${this.#backend.transport} does not tell what is acknowledged`,
      });
    }
    await this.#drains.wait(undefined, options);
  }

  /** Room may have come, or a port may be free. */
  wake(): void {
    if (this.#waits.length > 0) this.#retry();
    if (this.#drains.length > 0 && this.#isDrained) this.#drains.answer(() => ({ answer: undefined }));
  }

  close(reason: Error): void {
    this.#closed = reason;
    this.#waits.failAll(reason);
    this.#drains.failAll(reason);
  }

  get #isDrained(): boolean {
    return this.#waits.length === 0 && this.#backend?.pendingMessages === 0;
  }

  /** Tries what waits, in order; behind a message that still waits, none to the same destination. */
  #retry(): void {
    const held = new Set<string>();
    this.#waits.answer((waiting) => {
      const key = RdsAddress.format(waiting.to);
      if (held.has(key)) return undefined;
      const refusal = this.#attempt(waiting);
      if (refusal === undefined) return { answer: payloadLength(waiting.payload) };
      if (refusal === "EAGAIN") return "stop";
      if (refusal !== "ENOBUFS") return { error: this.#error(refusal, waiting) };
      held.add(key);
      return undefined;
    });
  }

  /** Whether messages to the same destination wait already. */
  #isBehind(to: RdsAddress): boolean {
    if (this.#waits.length === 0) return false;
    for (const { to: other } of this.#waits) {
      if (other.port === to.port && other.address === to.address && other.scopeId === to.scopeId) return true;
    }
    return false;
  }

  #attempt({ to, payload, control }: Waiting): DatagramErrno | undefined {
    const refusal = this.#backend?.trySend(to, payload, control);
    if (refusal === "ENOBUFS") this.#readiness.isRefused = true;
    return refusal;
  }

  /** Checks in the order of Linux: the name, the socket, the families, the scopes, the control messages. */
  #prepare(payload: Payload, { to: input, control = [] }: RdsSendOptions): Waiting {
    const to = input === undefined ? this.connected : this.#destination(input);
    const local = this.#local;
    if (local === undefined || this.#backend === undefined) {
      throw errnoError("ENOTCONN", { reason: "the socket is not bound" });
    }
    if (to === undefined) throw errnoError("ENOTCONN", { reason: "the message has no destination" });
    if (input !== undefined && IpAddress.family(to.address) !== IpAddress.family(local.address)) {
      throw errnoError("EOPNOTSUPP", { reason: `${to.address} and ${local.address} are of different families` });
    }
    if (to.scopeId !== 0 && local.scopeId !== 0 && to.scopeId !== local.scopeId) {
      throw invalid(`the socket is bound by interface ${String(local.scopeId)}, not ${String(to.scopeId)}`);
    }
    return { to, payload, control: control.length === 0 ? control : checkControl(control, this.#backend.controlTypes) };
  }

  #destination(input: RdsAddressInput): RdsAddress {
    if (typeof input === "string") return destinationEnd(input);
    const known = this.#checked;
    if (
      known?.input.address === input.address &&
      known.input.port === input.port &&
      known.input.scopeId === input.scopeId
    ) {
      return known.to;
    }
    const to = destinationEnd(input);
    this.#checked = { input: { ...input }, to };
    return to;
  }

  #error(errno: DatagramErrno, { to, payload }: Waiting): VerbenaError {
    const length = payloadLength(payload);
    const maxMessageSize = this.#backend?.maxMessageSize ?? 0;
    const isTooLong = length > maxMessageSize;
    return errnoError(errno, {
      ...to,
      length,
      limit: isTooLong ? maxMessageSize : this.#settings.sendBufferSize,
      what: isTooLong ? "maxMessageSize of the stack" : "sendBufferSize of the socket",
      reason: REASONS[errno] ?? `the transport gave ${errno}`,
    });
  }
}

const REASONS: Readonly<Partial<Record<DatagramErrno, string>>> = {
  EAGAIN: "the send queue is full",
  ENOMEM: "too many peers",
};
