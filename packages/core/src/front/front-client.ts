import type { Clock, Logger } from "../sdk/services.js";
import { abortForMany } from "../server/abort-for-many.js";
import type { AcmClientHandle, AcmRequestHandler } from "../server/handler.js";
import type { AcmServerLimits } from "../server/limits.js";
import { PendingReply, ReplyOrder } from "../server/reply-order.js";
import type { StalledClient } from "../server/stalled-clients.js";

/** What a client needs of the server in front of which it stands. */
export interface FrontClientHost {
  readonly handler: AcmRequestHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: AcmServerLimits;
  write(client: FrontClient, request: Buffer, reply: Buffer): void;
  stalled(client: FrontClient, heldBytes: number): void;
  flowing(client: FrontClient): void;
  /** It has been closed from here. */
  destroyed(client: FrontClient): void;
}

/** How a client stands, as the front end tells it. */
export interface FrontClientState {
  readonly isIncomplete: boolean;
  readonly messages: number;
  readonly isStalled: boolean;
  readonly heldBytes: number;
}

/** One client of the front end: what it has asked and not got yet, the order of its replies, and how long it may leave things undone. */
export class FrontClient implements StalledClient {
  readonly handle: AcmClientHandle;
  readonly #host: FrontClientHost;
  readonly #order = new ReplyOrder();
  /** Messages that came while it did not read. */
  readonly #waiting: Buffer[] = [];
  #abort: AbortController | undefined;
  #cancelIncomplete: (() => void) | undefined;
  #incompleteAfter: number | undefined;
  #cancelUnread: (() => void) | undefined;
  #isStalled = false;
  #isPumping = false;
  #isGone = false;

  constructor(identity: Pick<AcmClientHandle, "id" | "kind" | "pid" | "uid">, host: FrontClientHost) {
    this.#host = host;
    const signal = (): AbortSignal => this.#signal();
    this.handle = {
      ...identity,
      get signal() {
        return signal();
      },
    };
  }

  get id(): number {
    return this.handle.id;
  }

  /** Hands a whole message on, or keeps it until the client reads. */
  take(message: Buffer): void {
    this.#waiting.push(message);
    this.#pump();
  }

  /** It does not read; a state follows. */
  hold(): void {
    this.#isStalled = true;
  }

  state({ isIncomplete, messages, isStalled, heldBytes }: FrontClientState): void {
    this.#watchIncomplete(isIncomplete ? messages : undefined);
    this.#isStalled = isStalled;
    if (!isStalled) {
      this.#cancelUnread?.();
      this.#cancelUnread = undefined;
      this.#host.flowing(this);
      this.#pump();
      return;
    }
    const { clock, limits } = this.#host;
    this.#cancelUnread ??= clock.schedule(limits.unreadMs, () => {
      this.destroy("does not read its replies");
    });
    this.#host.stalled(this, heldBytes + this.#order.heldBytes);
  }

  destroy(reason: string): void {
    if (this.#isGone) return;
    this.gone(reason);
    this.#host.destroyed(this);
  }

  /** It has left, or has been closed; replies under way are dropped. */
  gone(reason: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#host.logger.debug("client connection closed", { client: this.id, reason });
    this.#cancelIncomplete?.();
    this.#cancelUnread?.();
    this.#waiting.length = 0;
    this.#abort?.abort();
    this.#host.flowing(this);
  }

  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (!this.#isStalled && !this.#isGone) {
      const message = this.#waiting.shift();
      if (message === undefined) break;
      this.#hand(message);
    }
    this.#isPumping = false;
  }

  /** The clock of an incomplete message starts anew with each message. */
  #watchIncomplete(messages: number | undefined): void {
    if (messages === this.#incompleteAfter) return;
    this.#incompleteAfter = messages;
    this.#cancelIncomplete?.();
    this.#cancelIncomplete = undefined;
    if (messages === undefined) return;
    const { clock, limits } = this.#host;
    this.#cancelIncomplete = clock.schedule(limits.incompleteMs, () => {
      this.destroy("incomplete message");
    });
  }

  #hand(message: Buffer): void {
    const pending = new PendingReply(this.#order.isBehind(message) ? this.#order.enter(message) : undefined);
    const reply = (bytes: Buffer): void => {
      if (this.#isGone || pending.isAnswered) return;
      pending.isAnswered = true;
      if (pending.slot === undefined) {
        this.#host.write(this, message, bytes); // still inside handle(), and nothing to wait for
        return;
      }
      // Those that go out together have the same transaction id.
      for (const ready of this.#order.settle(pending.slot, bytes)) this.#host.write(this, message, ready);
    };
    try {
      this.#host.handler.handle(this.handle, message, reply);
    } catch (error) {
      this.#host.logger.error("request handler threw", { client: this.id, error: String(error) });
      this.destroy("request handler threw");
    }
    if (!pending.isAnswered) pending.slot ??= this.#order.enter(message);
  }

  #signal(): AbortSignal {
    this.#abort ??= abortForMany();
    if (this.#isGone) this.#abort.abort();
    return this.#abort.signal;
  }
}
