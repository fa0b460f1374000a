import { VerbenaError } from "@verbena/ib";
import { congestionMask, type RdsSocket } from "@verbena/rds";
import { cliError } from "../../../errors.js";
import type { Counts } from "./counters.js";
import { type Exchange, type ExchangeRules, messageOf } from "./exchange.js";
import type { ReadingPace } from "./reading-pace.js";

/** What all children of a side have in common. */
export interface ChildRules extends ExchangeRules {
  readonly counts: Counts;
  /** Whether this side sends requests. */
  readonly sendsRequests: boolean;
  /** Requests to each child of the other side; then only acks are sent. */
  readonly mostRequests: number;
  /** Whether a congested destination is left alone until an update names its port; else every wake-up is a new try. */
  readonly usesCongestionMonitor: boolean;
  readonly pace: ReadingPace;
  readonly onRtt: (us: number) => void;
  readonly trace: ((line: string) => void) | undefined;
}

/** Receives before others of this process get their turn. */
const MOST_AT_ONCE = 256;
/** Sends to one destination in a turn: whether it is congested is heard between turns. */
const MOST_SENT = 32;

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const nowUs = (): number => performance.now() * 1000;

/** One socket that exchanges requests and acks with every child of the other side. */
export class Child {
  readonly #byPort: ReadonlyMap<number, Exchange>;
  readonly #request: Buffer;
  readonly #ack: Buffer;
  #sent = 0;

  constructor(
    private readonly socket: RdsSocket,
    private readonly exchanges: readonly Exchange[],
    private readonly rules: ChildRules,
  ) {
    this.#byPort = new Map(exchanges.map((exchange) => [exchange.peer.port, exchange]));
    this.#request = messageOf(rules.requestBytes, rules.pattern);
    this.#ack = messageOf(rules.ackBytes, rules.pattern);
  }

  /** Whether every request has been sent and answered. */
  get isDone(): boolean {
    return this.exchanges.every(({ requested, pending }) => requested >= this.rules.mostRequests && pending === 0);
  }

  /** Goes on until the signal, which closes the socket; `onDone` is called once. Throws `VERBENA_CLI_STRESS` at a message that should not have come so. */
  async run(signal: AbortSignal, onDone: () => void): Promise<void> {
    const close = (): void => {
      this.socket.destroy();
    };
    signal.addEventListener("abort", close);
    try {
      if (this.rules.usesCongestionMonitor) this.socket.monitorCongestion(true);
      await this.#exchangeAll(signal, onDone);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", close);
    }
  }

  async #exchangeAll(signal: AbortSignal, onDone: () => void): Promise<void> {
    let isDone = false;
    while (!signal.aborted) {
      const mayGoOn = this.#receive();
      const { isFull, isHeld } = this.#sendRound();
      if (!isDone && this.isDone) {
        isDone = true;
        onDone();
      }
      // Others of this process have their turn, whatever is ready here.
      await turn();
      if (mayGoOn || isHeld) continue;
      if (this.rules.pace.isSpent) await this.rules.pace.next(signal);
      else await this.socket.poll(isFull ? ["readable", "writable"] : this.#idle);
    }
  }

  /** What a child without a monitor waits for, beside messages, is any change of a congestion map. */
  get #idle(): readonly ("readable" | "uncongested")[] {
    const isHeld = !this.rules.usesCongestionMonitor && this.exchanges.some(({ isCongested }) => isCongested);
    return isHeld ? ["readable", "uncongested"] : ["readable"];
  }

  /** Whether there may be more. */
  #receive(): boolean {
    const { counts, onRtt, trace, pace } = this.rules;
    for (let count = 0; count < MOST_AT_ONCE; count++) {
      if (!pace.take()) return false;
      const item = this.socket.tryReceive();
      if (item === undefined) {
        pace.giveBack();
        return false;
      }
      if (item.type === "congestion") {
        pace.giveBack();
        for (const exchange of this.exchanges) {
          if ((item.ports & congestionMask(exchange.peer.port)) !== 0n) exchange.isCongested = false;
        }
        continue;
      }
      const { data, source } = item;
      const exchange = this.#byPort.get(source.port);
      if (exchange === undefined) throw failed(`port ${String(source.port)} is none of the other side's children`);
      const taken = exchange.receive(data, nowUs());
      if (typeof taken === "string") throw failed(`a message from ${source.address}:${String(source.port)}: ${taken}`);
      trace?.(`received ${taken.op} of ${String(data.length)} bytes from port ${String(source.port)}`);
      counts.bytes += data.length;
      if (taken.op === "request") counts.requestsReceived += 1;
      else {
        counts.acksReceived += 1;
        counts.rttUs += taken.rttUs;
        onRtt(taken.rttUs);
      }
    }
    return true;
  }

  /**
   * Acks before requests, to each in turn, until the send queue is full. Children of one process take turns in one order, so whoever fills a
   * destination would be the first to find it free again, for ever: it leaves the next turns to the others.
   */
  #sendRound(): { readonly isFull: boolean; readonly isHeld: boolean } {
    let isHeld = false;
    for (const exchange of this.exchanges) {
      if (exchange.hold > 0) {
        exchange.hold -= 1;
        isHeld = true;
        continue;
      }
      if (this.rules.usesCongestionMonitor && exchange.isCongested) continue;
      exchange.isCongested = false;
      const before = this.#sent;
      const refusal = this.#sendTo(exchange, before + MOST_SENT);
      if (refusal === "EAGAIN") return { isFull: true, isHeld };
      if (refusal === "ENOBUFS" && this.#sent > before) exchange.hold = this.exchanges.length - 1;
      isHeld ||= this.#sent >= before + MOST_SENT;
    }
    return { isFull: false, isHeld };
  }

  #sendTo(exchange: Exchange, end: number): "EAGAIN" | "ENOBUFS" | undefined {
    while (exchange.owesAck && this.#sent < end) {
      exchange.writeAck(this.#ack);
      const refusal = this.#send(exchange, this.#ack);
      if (refusal !== undefined) return refusal;
      exchange.ackSent();
      this.rules.counts.acksSent += 1;
    }
    while (this.#mayRequest(exchange) && this.#sent < end) {
      exchange.writeRequest(this.#request);
      const begun = nowUs();
      const refusal = this.#send(exchange, this.#request);
      if (refusal !== undefined) return refusal;
      exchange.requestSent(begun);
      this.rules.counts.requestsSent += 1;
      this.rules.counts.sendUs += nowUs() - begun;
    }
    return undefined;
  }

  #mayRequest(exchange: Exchange): boolean {
    return this.rules.sendsRequests && exchange.mayRequest && exchange.requested < this.rules.mostRequests;
  }

  #send(exchange: Exchange, message: Buffer): "EAGAIN" | "ENOBUFS" | undefined {
    const { counts, trace } = this.rules;
    try {
      this.socket.trySend(message, { to: exchange.peer });
    } catch (error) {
      if (VerbenaError.is(error, "VERBENA_RDS_EAGAIN")) {
        counts.refusedFull += 1;
        return "EAGAIN";
      }
      if (!VerbenaError.is(error, "VERBENA_RDS_ENOBUFS")) throw error;
      counts.refusedCongested += 1;
      exchange.isCongested = true;
      trace?.(`port ${String(exchange.peer.port)} is congested`);
      return "ENOBUFS";
    }
    counts.bytes += message.length;
    this.#sent += 1;
    trace?.(`sent ${String(message.length)} bytes to port ${String(exchange.peer.port)}`);
    return undefined;
  }
}

const failed = (reason: string): Error => cliError("VERBENA_CLI_STRESS", { details: { reason } });
