import type { ControlMessage, DatagramErrno, SendAttempt, SocketBackend } from "@verbena/core/sdk";
import { IpAddress, type VerbenaError } from "@verbena/ib";
import { payloadLength } from "../engine/outgoing-message.js";
import { errnoError } from "../errors.js";
import { checkControl } from "./control.js";
import { destinationEnd, invalid, RdsAddress, type RdsAddressInput } from "./ends.js";
import { takeLoss } from "./lossy-backend.js";
import { payloadOf } from "./payload.js";
import type { Readiness } from "./readiness.js";
import type { SocketContext } from "./socket-context.js";
import type { SocketSettings } from "./socket-settings.js";
import type { RdsPayload, RdsSendOptions } from "./types.js";
import { type Outcome, WaitList, type WaitOptions } from "./wait-list.js";

type Data = RdsPayload | readonly RdsPayload[];
type Payload = Uint8Array | readonly Uint8Array[];

/** A message to be queued. */
interface Waiting {
  readonly to: RdsAddress;
  readonly payload: Payload;
  readonly control: readonly ControlMessage[];
}

/** Why a message waits. */
type Passing = "EAGAIN" | "ENOBUFS";

/** A message that waits to be queued. */
interface Refused extends Waiting {
  /** What it, or one before it to the same destination, got last. */
  refusal: Passing;
  /** How long it may wait for room, milliseconds; 0 for ever. */
  readonly timeoutMs: number;
}

const NO_CONTROL: readonly ControlMessage[] = [];

/** Whether an errno passes by itself. */
const isPassing = (errno: DatagramErrno): errno is Passing => errno === "EAGAIN" || errno === "ENOBUFS";

/** The sending half of a socket: destinations are checked, who must wait does so, messages to one destination keep their order. */
export class Sender {
  /** The default destination. */
  connected: RdsAddress | undefined;
  readonly #context: SocketContext;
  readonly #settings: SocketSettings;
  readonly #readiness: Readiness;
  /** Waits for room, which have a time-out, and for a congested port, which on Linux have none. */
  readonly #waits: WaitList<Refused, number>;
  readonly #drains: WaitList<undefined, undefined>;
  #backend: SocketBackend | undefined;
  #local: RdsAddress | undefined;
  #closed: Error | undefined;
  /** Some congested port may be free since those that wait were last tried. */
  #hasFreed = false;
  /** The last destination that was checked, as it was named. */
  #checked: { readonly input: Exclude<RdsAddressInput, string>; readonly to: RdsAddress } | undefined;

  constructor(context: SocketContext, settings: SocketSettings, readiness: Readiness) {
    this.#context = context;
    this.#settings = settings;
    this.#readiness = readiness;
    this.#waits = new WaitList(context.clock, "sending", () => {
      this.#settleDrains();
    });
    this.#drains = new WaitList(context.clock, "draining");
  }

  bound(backend: SocketBackend, local: RdsAddress): void {
    this.#backend = backend;
    this.#local = local;
  }

  trySend(data: Data, options: RdsSendOptions): number {
    if (this.#closed !== undefined) throw this.#closed;
    const payload = payloadOf(data);
    const waiting = this.#prepare(payload, options);
    const refusal = this.#refusalBefore(waiting.to) ?? this.#attempt(waiting, "only");
    if (refusal === undefined) return payloadLength(payload);
    throw this.#error(refusal, waiting);
  }

  async send(data: Data, options: RdsSendOptions): Promise<number> {
    if (this.#closed !== undefined) throw this.#closed;
    const wrong = this.#waits.check(options);
    if (wrong !== undefined) throw wrong;
    const payload = payloadOf(data);
    const waiting = this.#prepare(payload, options);
    const refusal = this.#refusalBefore(waiting.to) ?? this.#attempt(waiting, "first");
    if (refusal === undefined) return payloadLength(payload);
    if (!isPassing(refusal)) throw this.#error(refusal, waiting);
    const { signal, timeoutMs = this.#settings.sendTimeoutMs } = options;
    const refused: Refused = { ...waiting, refusal, timeoutMs };
    return this.#waits.wait(refused, {
      timeoutMs: this.#timeout(refused),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async drain(options: WaitOptions): Promise<void> {
    if (this.#closed !== undefined) throw this.#closed;
    const wrong = this.#drains.check(options);
    if (wrong !== undefined) throw wrong;
    const loss = this.#waits.length === 0 ? takeLoss(this.#backend) : undefined;
    if (loss !== undefined) throw loss;
    if (this.#backend === undefined || this.#isDrained) return;
    if (this.#backend.pendingMessages === undefined) {
      throw errnoError("EOPNOTSUPP", {
        reason: `transport ${this.#backend.transport} does not tell what is acknowledged`,
      });
    }
    await this.#drains.wait(undefined, options);
  }

  /** Room may have come. */
  wake(): void {
    if (this.#waits.length > 0) this.#waits.answer(() => this.#retry());
    this.#settleDrains();
  }

  /** A port may be free. */
  wakeUncongested(): void {
    this.#hasFreed = true;
    this.wake();
  }

  close(reason: Error): void {
    this.#closed = reason;
    this.#drains.failAll(reason);
    this.#waits.failAll(reason);
  }

  get #isDrained(): boolean {
    return this.#waits.length === 0 && this.#backend?.pendingMessages === 0;
  }

  #settleDrains(): void {
    if (this.#drains.length === 0 || !this.#isDrained) return;
    const loss = takeLoss(this.#backend);
    this.#drains.answer(() => () => (loss === undefined ? { answer: undefined } : { error: loss }));
  }

  /**
   * Tries what waits, in order; behind a message that still waits, none to the same destination. Once there is no room, what waited for room
   * waits on, and what waited for a port is tried only if one may be free.
   */
  #retry(): (refused: Refused) => Outcome<number> {
    const hasFreed = this.#hasFreed;
    this.#hasFreed = false;
    const held = new Map<string, Passing>();
    let isFull = false;
    return (refused) => {
      const key = RdsAddress.format(refused.to);
      const isInVain = isFull && refused.refusal === "EAGAIN";
      const refusal = held.get(key) ?? (isInVain ? "EAGAIN" : this.#attempt(refused, "another"));
      if (refusal === undefined) return { answer: payloadLength(refused.payload) };
      if (!isPassing(refusal)) return { error: this.#error(refusal, refused) };
      held.set(key, refusal);
      isFull ||= refusal === "EAGAIN";
      const before = this.#timeout(refused);
      refused.refusal = refusal;
      const timeoutMs = this.#timeout(refused);
      return { ...(timeoutMs === before ? {} : { timeoutMs }), isLast: isFull && !hasFreed };
    };
  }

  /** Of a message that waits. Linux has none for a congested port. */
  #timeout({ refusal, timeoutMs }: Refused): number {
    return refusal === "ENOBUFS" && this.#context.semantics === "linux" ? 0 : timeoutMs;
  }

  /** Why messages to the same destination wait already, if any do: one more waits for the same. */
  #refusalBefore(to: RdsAddress): Passing | undefined {
    if (this.#waits.length === 0) return undefined;
    for (const { to: other, refusal } of this.#waits) {
      if (other.port === to.port && other.address === to.address && other.scopeId === to.scopeId) return refusal;
    }
    return undefined;
  }

  #attempt({ to, payload, control }: Waiting, attempt: SendAttempt): DatagramErrno | undefined {
    const refusal = this.#backend?.trySend(to, payload, control, attempt);
    if (refusal === "ENOBUFS") this.#readiness.isRefused = true;
    return refusal;
  }

  /** Checks in the order of Linux: the name, the socket, the families, the scopes, the control messages. */
  #prepare(payload: Payload, { to: input, control = NO_CONTROL }: RdsSendOptions): Waiting {
    const to = this.#checkedBefore(input) ?? this.#check(input);
    return { to, payload, control: control.length === 0 ? control : this.#checkControl(control) };
  }

  /** What came of the last destination, if this one is the same. */
  #checkedBefore(input: RdsAddressInput | undefined): RdsAddress | undefined {
    const known = this.#checked;
    if (known === undefined || input === undefined || typeof input === "string") return undefined;
    const { address, port, scopeId } = known.input;
    return address === input.address && port === input.port && scopeId === input.scopeId ? known.to : undefined;
  }

  #check(input: RdsAddressInput | undefined): RdsAddress {
    const to = input === undefined ? this.connected : destinationEnd(input);
    const local = this.#local;
    if (local === undefined) throw errnoError("ENOTCONN", { reason: "the socket is not bound" });
    if (to === undefined) throw errnoError("ENOTCONN", { reason: "the message has no destination" });
    if (input !== undefined && IpAddress.family(to.address) !== IpAddress.family(local.address)) {
      throw errnoError("EOPNOTSUPP", { reason: `${to.address} and ${local.address} are of different families` });
    }
    if (to.scopeId !== 0 && local.scopeId !== 0 && to.scopeId !== local.scopeId) {
      throw invalid(`the socket is bound by interface ${String(local.scopeId)}, not ${String(to.scopeId)}`);
    }
    if (typeof input === "object") this.#checked = { input: { ...input }, to };
    return to;
  }

  #checkControl(control: readonly ControlMessage[]): readonly ControlMessage[] {
    return checkControl(control, this.#backend?.controlTypes ?? []);
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
