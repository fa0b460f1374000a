import type { ChannelGroupBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { asError, calling, failure } from "../failure.js";

/** A longer timer of Node ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One wait. */
export interface Wait {
  /** The time is up. */
  readonly isOver: boolean;
  /** Resolves when something may be ready or the time is up; rejects on abort, close, and failure of the set. */
  ready(): Promise<void>;
  /** MUST be called at the end. */
  end(): void;
}

/** Waits for a set of channels, one wait at a time. */
export class GroupWait {
  #current: { readonly wake: () => void; readonly fail: (error: Error) => void } | undefined;
  #isWaiting = false;
  #isStarted = false;
  #isClosed = false;

  constructor(
    private readonly binding: ChannelGroupBinding,
    /** Names the set in errors. */
    private readonly what: string,
  ) {}

  /** Throws `VERBENA_NATIVE_BUSY` while another wait is under way. */
  begin(timeoutMs: number | undefined, signal: AbortSignal | undefined): Wait {
    if (this.#isWaiting) throw nativeError("VERBENA_NATIVE_BUSY", { details: { what: this.what } });
    this.#isWaiting = true;
    let isOver = timeoutMs === 0;
    let timer: NodeJS.Timeout | undefined;
    const count = (restMs: number): void => {
      timer = setTimeout(
        () => {
          if (restMs > LONGEST_TIMER_MS) return count(restMs - LONGEST_TIMER_MS);
          isOver = true;
          this.#current?.wake();
        },
        Math.min(restMs, LONGEST_TIMER_MS),
      );
    };
    if (timeoutMs !== undefined && !isOver) count(timeoutMs);
    const onAbort = (): void => {
      if (signal !== undefined) this.#current?.fail(asError(signal.reason));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    return {
      get isOver() {
        return isOver;
      },
      ready: () => this.#ready(signal),
      end: () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#isWaiting = false;
      },
    };
  }

  /** A wait that is under way rejects. */
  close(): void {
    this.#isClosed = true;
    this.#current?.fail(nativeError("VERBENA_NATIVE_CLOSED", { details: { what: this.what } }));
  }

  #ready(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(asError(signal.reason));
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        if (this.#current === undefined) return;
        this.#current = undefined;
        // Level-triggered: nobody reads until the next wait, so it would wake the loop again and again.
        if (!this.#isClosed) this.binding.setReading(false);
        done();
      };
      this.#current = {
        wake: () => settle(resolve),
        fail: (error) => settle(() => reject(error)),
      };
      try {
        this.#watch();
      } catch (error) {
        this.#current = undefined;
        reject(asError(error));
      }
    });
  }

  #watch(): void {
    if (this.#isStarted) {
      this.binding.setReading(true);
      return;
    }
    calling("VERBENA_NATIVE_CHANNEL", { what: this.what }, () =>
      this.binding.start(
        () => this.#current?.wake(),
        (cause) => this.#current?.fail(failure("VERBENA_NATIVE_CHANNEL", { what: this.what }, cause)),
      ),
    );
    this.#isStarted = true;
  }
}
