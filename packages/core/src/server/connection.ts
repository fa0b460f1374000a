import type { Socket } from "node:net";
import type { Clock, Logger } from "../sdk/services.js";
import { abortForMany } from "./abort-for-many.js";
import { AcmFramer } from "./framer.js";
import type { AcmClientHandle, AcmRequestHandler } from "./handler.js";
import type { AcmServerLimits } from "./limits.js";
import { PendingReply, ReplyOrder } from "./reply-order.js";

/** What a connection needs of the server that accepted it. */
export interface ConnectionHost {
  readonly handler: AcmRequestHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: AcmServerLimits;
  /** The system takes no more of this client's replies; the server may close it to keep its own bounds. */
  stalled(connection: AcmConnection): void;
  /** It reads again, or it has gone. */
  flowing(connection: AcmConnection): void;
  gone(connection: AcmConnection): void;
}

/** Who is at the other end. */
export type ConnectionPeer = Pick<AcmClientHandle, "id" | "kind" | "pid" | "uid">;

/** One client: its input, the order of its replies, and the bounds on both. Nothing that a client does gets out of here. */
export class AcmConnection {
  readonly client: AcmClientHandle;
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  readonly #framer = new AcmFramer();
  readonly #order = new ReplyOrder();
  #abort: AbortController | undefined;
  #cancelIncomplete: (() => void) | undefined;
  #cancelUnread: (() => void) | undefined;
  #isPumping = false;
  #isStalled = false;
  #isClosing = false;
  #isEnding = false;
  #isGone = false;

  constructor(socket: Socket, peer: ConnectionPeer, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    const signal = (): AbortSignal => this.#signal();
    this.client = {
      ...peer,
      get signal() {
        return signal();
      },
    };
    socket.on("data", (piece: Buffer) => {
      this.#framer.push(piece);
      this.#pump();
    });
    socket.on("drain", () => {
      this.#flow();
    });
    // Clients leave by closing; a half-open one that still waits is told apart from them by nothing.
    socket.on("end", () => {
      this.destroy("client has gone");
    });
    // Resets and broken pipes are how clients leave; "close" follows.
    socket.on("error", (error) => {
      host.logger.debug("client connection failed", { client: peer.id, error: error.message });
    });
    socket.on("close", () => {
      this.#leave();
    });
  }

  /** Bytes this connection makes the process hold. */
  get heldBytes(): number {
    return this.#socket.writableLength + this.#framer.heldBytes + this.#order.heldBytes;
  }

  /** Takes no more requests, writes the replies under way, then closes. */
  finish(): void {
    this.#isClosing = true;
    this.#socket.pause();
    this.#finishIfDone();
  }

  /** Closes at once; replies under way are dropped. */
  destroy(reason: string): void {
    if (this.#isGone) return;
    this.#host.logger.debug("client connection closed", { client: this.client.id, reason });
    this.#socket.destroy();
    this.#leave();
  }

  /** Hands on whole messages until the input is used up or the client has to wait. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (this.#mayRead()) {
      const message = this.#framer.next();
      if (message === undefined) break;
      this.#hand(message);
    }
    this.#isPumping = false;
    if (this.#isGone) return;
    if (this.#framer.violation !== undefined) this.destroy(`malformed message (${this.#framer.violation})`);
    else this.#settleInput();
  }

  #mayRead(): boolean {
    if (this.#isGone || this.#isClosing || this.#isStalled) return false;
    return this.#order.open < this.#host.limits.maxOpenRequests;
  }

  /** After a turn: stop or go on reading, and watch a message that is not whole. */
  #settleInput(): void {
    const mayRead = this.#mayRead();
    if (mayRead && this.#socket.isPaused()) this.#socket.resume();
    if (!mayRead && !this.#socket.isPaused()) this.#socket.pause();
    const isIncomplete = mayRead && this.#framer.heldBytes > 0;
    if (!isIncomplete) {
      this.#cancelIncomplete?.();
      this.#cancelIncomplete = undefined;
    } else if (this.#cancelIncomplete === undefined) {
      const { clock, limits } = this.#host;
      this.#cancelIncomplete = clock.schedule(limits.incompleteMs, () => {
        this.destroy("incomplete message");
      });
    }
    this.#finishIfDone();
  }

  #hand(message: Buffer): void {
    // The clock of an incomplete message starts anew with each message.
    this.#cancelIncomplete?.();
    this.#cancelIncomplete = undefined;
    const pending = new PendingReply(this.#order.isBehind(message) ? this.#order.enter(message) : undefined);
    const reply = (bytes: Buffer): void => {
      if (this.#isGone || pending.isAnswered) return;
      pending.isAnswered = true;
      if (pending.slot === undefined) {
        this.#write(bytes); // still inside handle(), and nothing to wait for
        return;
      }
      for (const ready of this.#order.settle(pending.slot, bytes)) this.#write(ready);
      if (!this.#isPumping) this.#pump();
    };
    try {
      this.#host.handler.handle(this.client, message, reply);
    } catch (error) {
      this.#host.logger.error("request handler threw", { client: this.client.id, error: String(error) });
      this.destroy("request handler threw");
    }
    if (!pending.isAnswered) pending.slot ??= this.#order.enter(message);
  }

  #write(bytes: Buffer): void {
    if (this.#isGone) return;
    if (this.#socket.write(bytes)) return;
    if (this.#socket.writableLength > this.#host.limits.maxUnsentBytes) {
      this.destroy("does not read its replies");
      return;
    }
    if (this.#isStalled) return;
    this.#isStalled = true;
    const { clock, limits } = this.#host;
    this.#cancelUnread = clock.schedule(limits.unreadMs, () => {
      this.destroy("does not read its replies");
    });
    this.#host.stalled(this);
  }

  #flow(): void {
    if (!this.#isStalled || this.#isGone) return;
    this.#isStalled = false;
    this.#cancelUnread?.();
    this.#cancelUnread = undefined;
    this.#host.flowing(this);
    this.#pump();
  }

  #finishIfDone(): void {
    if (this.#isGone || this.#isEnding || !this.#isClosing || this.#order.open > 0) return;
    this.#isEnding = true;
    this.#socket.end(() => {
      this.#socket.destroy();
    });
  }

  #signal(): AbortSignal {
    this.#abort ??= abortForMany();
    if (this.#isGone) this.#abort.abort();
    return this.#abort.signal;
  }

  #leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#cancelIncomplete?.();
    this.#cancelUnread?.();
    this.#abort?.abort();
    this.#host.flowing(this);
    this.#host.gone(this);
  }
}
