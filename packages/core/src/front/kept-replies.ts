import type { FrontEnd } from "@verbena/native";
import type { AcmEdgeCounters } from "../acm/edge-counters.js";
import type { Accounts } from "../engine/accounts.js";
import type { MutableCounters } from "../engine/endpoint-account.js";
import type { Footing, Ground } from "../engine/footing.js";
import type { Clock } from "../sdk/services.js";

/**
 * Longest time a reply is given out without the engine being asked, milliseconds: its caches must see now and then what is in use, or the
 * busiest entries would be the first to make room.
 */
const MAX_HOLD_MS = 60_000;
/** Losses one after the other, with nothing kept between, after which the table is emptied instead of going on one by one. */
const MANY_LOSSES = 1_024;

/** The part of a front end that keeps replies. */
export type ReplyStore = Pick<FrontEnd, "put" | "invalidate" | "clearTable" | "takeHits">;

export interface KeptRepliesOptions {
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly edge: AcmEdgeCounters;
}

/**
 * Which replies the front end gives out by itself. A reply is kept in the turn in which the engine has given its answer from the caches, with
 * a tag for each thing the answer rests on; when one of them is lost, the tag is invalidated before anybody goes on. What is given out meanwhile
 * is counted as if the engine had been asked.
 */
export class KeptReplies {
  readonly #options: KeptRepliesOptions;
  #store: ReplyStore | undefined;
  #leaveTally: (() => void) | undefined;
  #tags = new Map<Ground, number>();
  #freeTags: number[] = [];
  #nextTag = 0;
  #losses = 0;
  /** Endpoints' counters by number, and back. */
  readonly #counters: MutableCounters[] = [];
  readonly #numbers = new Map<MutableCounters, number>();

  constructor(options: KeptRepliesOptions) {
    this.#options = options;
  }

  /** From now on replies are kept there. */
  attach(store: ReplyStore): void {
    this.#store = store;
    this.#leaveTally = this.#options.accounts.tally.add(() => {
      this.count();
    });
  }

  /** Nothing is kept any more; what was given out is counted. */
  detach(): void {
    this.count();
    this.#leaveTally?.();
    this.#store = undefined;
    this.#forget();
  }

  /** Keeps the reply to a request that has just been answered from the caches. */
  keep(request: Buffer, reply: Buffer, { grounds, until, counters }: Footing): void {
    if (this.#store === undefined || counters === undefined) return;
    const ttlMs = Math.min(until - this.#options.clock.now(), MAX_HOLD_MS);
    if (ttlMs <= 0) return;
    this.#losses = 0;
    const tags = Uint32Array.from(grounds, (ground) => this.#tagOf(ground));
    this.#store.put(request, reply, ttlMs, this.#numberOf(counters), tags);
  }

  /** When this returns no reply that rests on it is given out any more. */
  readonly lost = (ground: Ground): void => {
    const tag = this.#tags.get(ground);
    if (tag === undefined) return;
    this.#losses += 1;
    if (this.#losses > MANY_LOSSES) {
      this.clear();
      return;
    }
    this.#tags.delete(ground);
    this.#freeTags.push(tag);
    this.#store?.invalidate(Uint32Array.of(tag));
  };

  /** The same for everything: another engine has taken over. */
  clear(): void {
    this.#store?.clearTable();
    this.#forget();
  }

  /** Brings into the books what the front end has answered by itself since the last time. */
  count(): void {
    const { accounts, edge, clock } = this.#options;
    const hits = this.#store?.takeHits();
    if (hits === undefined) return;
    for (const { account, count } of hits.accounts) {
      const counters = this.#counters[account];
      if (counters === undefined) continue;
      edge.received(count);
      accounts.counters.hit(counters, count);
    }
    const now = clock.now();
    for (const { count, idleMs, ...client } of hits.clients) accounts.clients.hit(client, now - idleMs, count);
  }

  #tagOf(ground: Ground): number {
    let tag = this.#tags.get(ground);
    if (tag === undefined) {
      tag = this.#freeTags.pop() ?? this.#nextTag++;
      this.#tags.set(ground, tag);
    }
    return tag;
  }

  #numberOf(counters: MutableCounters): number {
    let number = this.#numbers.get(counters);
    if (number === undefined) {
      number = this.#counters.push(counters) - 1;
      this.#numbers.set(counters, number);
    }
    return number;
  }

  /** The table is empty, so no tag is in use. */
  #forget(): void {
    this.#tags = new Map();
    this.#freeTags = [];
    this.#nextTag = 0;
    this.#losses = 0;
  }
}
