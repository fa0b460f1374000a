import type { AcmCounters } from "./contract.js";

/**
 * Something that an answer rests on, told apart by identity: an entry of a cache (by its number), an endpoint in one generation, the order in which endpoints
 * are chosen. Once it is lost it never comes back.
 */
export type Ground = object | number;

/**
 * What an answer from the caches rests on, written down for who keeps the answer: as long as no ground is lost, and until its time is up, the
 * engine would answer the same request in the same way.
 */
export class Footing {
  readonly grounds: Ground[] = [];
  /** On the clock, milliseconds: from then on the engine wants to be asked, to look it up anew. */
  until = Number.POSITIVE_INFINITY;
  /** Of the endpoint: what each use of the answer counts for. */
  counters: { -readonly [Name in keyof AcmCounters]: number } | undefined;

  /** The answer rests on an entry of a cache; its times are on the clock, milliseconds. */
  entry(entry: { readonly ground: number; readonly expiresAt: number; readonly refreshAt: number }): void {
    this.grounds.push(entry.ground);
    this.until = Math.min(this.until, entry.expiresAt, entry.refreshAt);
  }
}
