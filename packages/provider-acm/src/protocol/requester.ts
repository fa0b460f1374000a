import { type Clock, Destination, type LocalAddress, type Random } from "@verbena/core/sdk";
import type { AcmMad, Gid, Lid, McMemberRecord } from "@verbena/ib";
import { providerAcmError } from "../errors.js";
import { chooseGroup } from "../groups/group-choice.js";
import { LruMap } from "../peers/lru-map.js";
import type { Peer } from "../peers/peer.js";
import type { Sender } from "../wire/packet.js";
import type { AcmCounts } from "./counts.js";
import { Credits } from "./credits.js";
import { type ExchangePhase, type ExchangeSignal, stepExchange } from "./exchange-machine.js";
import { requestMad } from "./messages.js";
import { Pace } from "./pace.js";
import { FIRST_GAP_MS, retryGapMs } from "./retry-gaps.js";

export interface RequesterParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Requests that may just have been sent at once. */
  readonly resolveDepth: number;
  /** Groups that are joined, least preferred first. */
  readonly own: () => ReadonlyMap<Gid, McMemberRecord>;
  readonly ownGid: Gid;
  readonly ownLid: () => Lid;
  /** Sends to the base group; false if it could not: that try is lost, the next one may not be. */
  readonly send: (message: Buffer) => boolean;
  /** The same to one peer alone. */
  readonly sendTo: (peer: Peer, message: Buffer) => boolean;
  readonly counts: AcmCounts;
  /** An answer that nobody waits for any more, and which is true all the same. */
  readonly onLate: (destination: Destination, peer: Peer) => void;
  /** Two have answered for one address; the first one stays. */
  readonly onDuplicate: (address: Destination | LocalAddress, first: Gid, second: Gid) => void;
}

/** Until when an answer is waited for. */
export interface AskOptions {
  readonly signal: AbortSignal;
  /** On the clock, milliseconds. */
  readonly deadline: number;
  /** Who has answered before: the first try goes to him alone. */
  readonly known?: Peer;
  /** When he has answered everybody is asked too, once: who answers then has the address as well. */
  readonly asksOthers?: boolean;
}

/** How long a transaction id stays known after its end: for late answers, and for a second one that contradicts the first. */
const AFTERLIFE_MS = 2_000;
const AFTERLIVES = 4_096;
/** A credit is held for the first gap at most, so that whoever is dead does not hold up the living. */
const HOLD_MS = FIRST_GAP_MS;

/** After so many tries every second one is asked in the name of the own LID. */
const PLAIN_TRIES = 4;
/** Tries that go to who has answered before; if he has gone, everybody is asked soon. */
const LONE_TRIES = 1;

/** `first`: who has answered first; `undefined`: nobody in time. Of an announcement that is this host. */
type Ending =
  | { readonly address: Destination; readonly first: undefined }
  | { readonly address: Destination | LocalAddress; readonly first: Gid };

/** `isAskedAgain`: who has answered has been asked once more, with everybody. */
type Afterlife = Ending & { readonly until: number; readonly isAskedAgain?: boolean };

/** Asks the base group who knows an address: outstanding requests by transaction id, tried again with growing gaps. */
export class Requester {
  readonly #parts: RequesterParts;
  readonly #open = new Map<bigint, Exchange>();
  readonly #ended = new LruMap<bigint, Afterlife>(AFTERLIVES);
  readonly #credits: Credits<Exchange>;
  readonly #pace = new Pace();
  #lastTid = 0;
  #isClosed = false;

  constructor(parts: RequesterParts) {
    this.#parts = parts;
    this.#credits = new Credits(parts.resolveDepth, (exchange) => {
      exchange.credit();
    });
  }

  /** Requests that wait for an answer. */
  get outstanding(): number {
    return this.#open.size;
  }

  /**
   * Who knows `destination`? `undefined`: who knows it is in none of our groups, or nobody wants to know any more. Rejects with
   * VERBENA_PROVIDER_ACM_TIMEOUT (detail `timedOut`) and VERBENA_PROVIDER_ACM_STATUS.
   */
  ask(
    destination: Destination,
    source: Destination | LocalAddress,
    { signal, deadline, known, asksOthers = false }: AskOptions,
  ): Promise<Peer | undefined> {
    if (this.#isClosed || signal.aborted) return Promise.resolve(undefined);
    const { counts, clock, random, send, sendTo, own, ownLid } = this.#parts;
    counts.addressQuery += 1;
    const tid = this.#nextTid();
    const groups = [...own().keys()];
    const message = requestMad(tid, destination, source, groups);
    // A peer may keep under a source what it once knew of it, its route too, and not answer. A LID that is new it knows nothing of.
    const byLid = requestMad(tid, destination, Destination.lid(ownLid()), groups);
    return new Promise((resolve, reject) => {
      const exchange: Exchange = new Exchange({
        subject: destination.text,
        clock,
        random,
        deadline,
        credits: this.#credits,
        pace: this.#pace,
        send: () => {
          counts.requestsSent += 1;
          if (exchange.tries > 1) counts.retries += 1;
          if (known !== undefined && exchange.tries <= LONE_TRIES) return sendTo(known, message);
          return send(isByLid(exchange.tries) ? byLid : message);
        },
        onTimeout: (tries) => {
          counts.timeouts += 1;
          this.#end(tid, { address: destination, first: undefined });
          const details = { destination: destination.text, tries, timedOut: true };
          reject(providerAcmError("VERBENA_PROVIDER_ACM_TIMEOUT", { details }));
        },
        onAnswer: (mad, from) => {
          if (exchange.tries === 1) this.#pace.wasPrompt();
          this.#end(tid, { address: destination, first: from.gid });
          const status = mad.status >>> 8;
          if (status !== 0) {
            const details = { destination: destination.text, status };
            reject(providerAcmError("VERBENA_PROVIDER_ACM_STATUS", { details }));
            return;
          }
          resolve(this.#peer(mad, from));
          if (asksOthers && known !== undefined && exchange.tries <= LONE_TRIES) {
            counts.requestsSent += 1;
            this.#ended.set(tid, { ...this.#afterlife({ address: destination, first: from.gid }), isAskedAgain: true });
            send(message);
          }
        },
        onLeft: () => {
          this.#end(tid, { address: destination, first: undefined });
          resolve(undefined);
        },
        signal,
      });
      this.#open.set(tid, exchange);
      exchange.start();
    });
  }

  /** Tells the group that `address` is here, once. Who answers has it too. */
  announce(address: LocalAddress): void {
    const { own, send, counts, ownGid } = this.#parts;
    const tid = this.#nextTid();
    this.#end(tid, { address, first: ownGid });
    if (send(requestMad(tid, address, address, [...own().keys()]))) counts.announcements += 1;
  }

  /** What a transaction id asks, or has asked a moment ago. */
  subject(tid: bigint): string | undefined {
    return this.#open.get(tid)?.subject ?? this.#ended.get(tid)?.address.text;
  }

  /** A response has come in. */
  take(mad: AcmMad, from: Sender): void {
    const { counts } = this.#parts;
    const exchange = this.#open.get(mad.tid);
    if (exchange !== undefined) {
      counts.responsesHeard += 1;
      exchange.answer(mad, from);
      return;
    }
    const ended = this.#ended.get(mad.tid);
    if (ended === undefined || ended.until < this.#parts.clock.now()) {
      counts.unmatched += 1;
      return;
    }
    counts.responsesHeard += 1;
    this.#takeLate(ended, mad, from);
  }

  /** Ends every exchange without an answer. */
  close(): void {
    this.#isClosed = true;
    for (const exchange of [...this.#open.values()]) exchange.leave();
    this.#ended.clear();
  }

  #takeLate({ address, first, isAskedAgain = false }: Afterlife, mad: AcmMad, from: Sender): void {
    if (mad.status >>> 8 !== 0) return;
    if (first === undefined) {
      this.#end(mad.tid, { address, first: from.gid });
      const peer = this.#peer(mad, from);
      if (peer !== undefined) this.#parts.onLate(address, peer);
    } else if (first !== from.gid) this.#parts.onDuplicate(address, first, from.gid);
    else if (!isAskedAgain) this.#pace.wasNeedless();
  }

  #peer(mad: AcmMad, { gid, lid, qpn }: Sender): Peer | undefined {
    const group = chooseGroup(mad.gids, this.#parts.own());
    if (group === undefined) this.#parts.counts.noGroup += 1;
    return group && { gid, lid, qpn, mgid: group.mgid };
  }

  #end(tid: bigint, ending: Ending): void {
    this.#open.delete(tid);
    this.#ended.set(tid, this.#afterlife(ending));
  }

  #afterlife(ending: Ending): Afterlife {
    return { ...ending, until: this.#parts.clock.now() + AFTERLIFE_MS };
  }

  /** Half counted, so that they differ; half by lot, since a response is believed for its transaction id alone. */
  #nextTid(): bigint {
    this.#lastTid = (this.#lastTid + 1) >>> 0;
    const lot = Math.floor(this.#parts.random() * 2 ** 32);
    return (BigInt(lot) << 32n) | BigInt(this.#lastTid);
  }
}

function isByLid(tries: number): boolean {
  return tries > PLAIN_TRIES && (tries - PLAIN_TRIES) % 2 === 1;
}

interface ExchangeParts {
  /** What is asked for, as text. */
  readonly subject: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly credits: Credits<Exchange>;
  readonly pace: Pace;
  readonly send: () => boolean;
  readonly onAnswer: (mad: AcmMad, from: Sender) => void;
  readonly onTimeout: (tries: number) => void;
  readonly onLeft: () => void;
}

/** One request under way. */
class Exchange {
  tries = 0;
  #phase: ExchangePhase = "queued";
  #cancelGap: () => void = () => undefined;
  #cancelHold: () => void = () => undefined;
  #cancelDeadline: () => void = () => undefined;

  constructor(private readonly parts: ExchangeParts) {}

  get subject(): string {
    return this.parts.subject;
  }

  start(): void {
    const { clock, deadline, signal, credits } = this.parts;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#cancelDeadline = clock.schedule(deadline - clock.now(), () => {
      this.#finish(() => {
        this.parts.onTimeout(this.tries);
      });
    });
    credits.ask(this);
  }

  credit(): void {
    this.#step("credit");
  }

  answer(mad: AcmMad, from: Sender): void {
    this.#finish(() => {
      this.parts.onAnswer(mad, from);
    });
  }

  leave(): void {
    this.#finish(this.parts.onLeft);
  }

  readonly #onAbort = (): void => {
    this.leave();
  };

  #finish(then: () => void): void {
    if (this.#phase === "done") return;
    this.parts.signal.removeEventListener("abort", this.#onAbort);
    this.#cancelDeadline();
    this.#cancelGap();
    this.#cancelHold();
    this.#step("end");
    then();
  }

  #step(signal: ExchangeSignal): void {
    const { credits } = this.parts;
    const { next, action } = stepExchange(this.#phase, signal);
    this.#phase = next;
    switch (action) {
      case "none":
        return;
      case "send":
        this.#send();
        return;
      case "release":
      case "refuse":
        credits.release();
        return;
      case "queue":
        credits.ask(this);
        return;
      case "release-and-queue":
        this.#cancelHold();
        credits.release();
        credits.ask(this);
        return;
      case "leave":
        credits.leave(this);
        return;
      default:
        action satisfies never;
    }
  }

  #send(): void {
    const { clock, random, pace, send } = this.parts;
    const gapMs = retryGapMs(this.tries, random) * pace.factor;
    this.tries += 1;
    this.#cancelHold = clock.schedule(HOLD_MS, () => {
      this.#step("hold-over");
    });
    this.#cancelGap = clock.schedule(gapMs, () => {
      this.#step("gap-over");
    });
    send();
  }
}
