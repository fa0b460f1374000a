import type { VerbenaError } from "@verbena/ib";
import type { Destination } from "../sdk/destination.js";
import type { Clock } from "../sdk/services.js";
import type { CacheScope } from "./cache-entry.js";

/** What a lookup is told about the world around it. */
export interface FlightContext {
  /** Aborted when the last waiter has gone, at the flight's deadline, or when the scope ends. */
  readonly signal: AbortSignal;
  /** On the clock, milliseconds. The lookup MUST have settled by then. */
  readonly deadline: number;
}

/** What a lookup is about. */
export interface FlightKey {
  readonly key: string;
  readonly scope: CacheScope;
  readonly subject: Destination;
}

/** One request that waits for a lookup. */
export interface Waiter {
  /** On the clock, milliseconds. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** What ends a waiter that gets no answer; the engine makes the coded errors. */
export interface FlightErrors {
  timeout(): VerbenaError;
  aborted(reason: unknown): VerbenaError;
}

/** Why a lookup was stopped: the last waiter's time was up after the lookup had had its full share. It counts as having failed. */
export class FlightExpired extends Error {
  constructor() {
    super("nobody waits any longer");
  }
}

interface Seat<V> {
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
  readonly cleanup: () => void;
}

interface Flight<V> {
  readonly key: string;
  readonly subject: Destination;
  readonly scope: CacheScope;
  readonly controller: AbortController;
  readonly deadline: number;
  readonly seats: Set<Seat<V>>;
  readonly startedAt: number;
}

/**
 * Lookups under way, one per key. Requests for the same key share a lookup; each keeps its own deadline and abort signal. When the
 * last one has left, the lookup is aborted.
 */
export class Flights<V> {
  readonly #flights = new Map<string, Flight<V>>();

  /** `patienceMs`: a lookup that has run so long and is left because time is up has failed; one left earlier was given up. */
  constructor(
    private readonly clock: Clock,
    private readonly patienceMs = Number.POSITIVE_INFINITY,
  ) {}

  get size(): number {
    return this.#flights.size;
  }

  /** Whether somebody looks this key up now. */
  isUnderWay(key: string, scope: CacheScope): boolean {
    return this.#flights.get(key)?.scope === scope;
  }

  /** Joins the lookup of this key, starting it if there is none; `start` never runs twice for a key at one time. */
  join(
    to: FlightKey,
    deadline: number,
    start: (context: FlightContext) => Promise<V>,
    waiter: Waiter,
    errors: FlightErrors,
  ): Promise<V> {
    if (waiter.signal?.aborted === true) return Promise.reject(errors.aborted(waiter.signal.reason));
    const flight = this.#open(to, Math.max(deadline, waiter.deadline), start);
    return new Promise<V>((resolve, reject) => {
      const leave = (error: VerbenaError, isLate: boolean): void => {
        this.#leave(flight, seat, isLate);
        reject(error);
      };
      const abort = (): void => {
        leave(errors.aborted(waiter.signal?.reason), false);
      };
      // The lookup itself ends at its deadline; a timer of one's own is for those who cannot wait that long.
      const cancel =
        waiter.deadline < flight.deadline
          ? this.clock.schedule(waiter.deadline - this.clock.now(), () => {
              leave(errors.timeout(), true);
            })
          : undefined;
      waiter.signal?.addEventListener("abort", abort, { once: true });
      const cleanup = (): void => {
        cancel?.();
        waiter.signal?.removeEventListener("abort", abort);
      };
      const seat: Seat<V> = { resolve, reject, cleanup };
      flight.seats.add(seat);
    });
  }

  /** Ends every lookup that `pick` names: its signal is aborted, who waits gets `error`, what it may still find is dropped. */
  end(pick: (flight: FlightKey) => boolean, error: Error): void {
    for (const flight of [...this.#flights.values()]) {
      if (!pick(flight)) continue;
      this.#flights.delete(flight.key);
      flight.controller.abort(error);
      this.#settle(flight, (seat) => {
        seat.reject(error);
      });
    }
  }

  /** Lookups under way, for listings. */
  *pending(): IterableIterator<FlightKey & { readonly startedAt: number }> {
    yield* this.#flights.values();
  }

  #open(
    { key, scope, subject }: FlightKey,
    deadline: number,
    start: (context: FlightContext) => Promise<V>,
  ): Flight<V> {
    const present = this.#flights.get(key);
    if (present?.scope === scope) return present;
    const flight: Flight<V> = {
      key,
      scope,
      subject,
      controller: new AbortController(),
      deadline,
      seats: new Set(),
      startedAt: this.clock.now(),
    };
    this.#flights.set(key, flight);
    void this.#run(flight, start);
    return flight;
  }

  async #run(flight: Flight<V>, start: (context: FlightContext) => Promise<V>): Promise<void> {
    try {
      const value = await start({ signal: flight.controller.signal, deadline: flight.deadline });
      this.#settle(flight, (seat) => {
        seat.resolve(value);
      });
    } catch (error) {
      this.#settle(flight, (seat) => {
        seat.reject(error);
      });
    } finally {
      if (this.#flights.get(flight.key) === flight) this.#flights.delete(flight.key);
    }
  }

  #settle(flight: Flight<V>, tell: (seat: Seat<V>) => void): void {
    for (const seat of flight.seats) {
      seat.cleanup();
      tell(seat);
    }
    flight.seats.clear();
  }

  #leave(flight: Flight<V>, seat: Seat<V>, isLate: boolean): void {
    seat.cleanup();
    if (!flight.seats.delete(seat)) return;
    if (flight.seats.size > 0) return;
    if (this.#flights.get(flight.key) === flight) this.#flights.delete(flight.key);
    const hasRun = this.clock.now() - flight.startedAt;
    flight.controller.abort(isLate && hasRun >= this.patienceMs ? new FlightExpired() : undefined);
  }
}
