import type { Clock, SocketBackend } from "@verbena/core/sdk";
import { invalid } from "./ends.js";
import type { RdsReadiness } from "./types.js";
import { type Outcome, WaitList, type WaitOptions } from "./wait-list.js";

/** What a socket is ready for, and who waits for it. */
export class Readiness {
  readonly #waits: WaitList<readonly (keyof RdsReadiness)[], RdsReadiness>;
  #backend: SocketBackend | undefined;
  #closed: Error | undefined;
  /** A send has been refused for congestion, and no map has changed since. */
  isRefused = false;

  constructor(clock: Clock) {
    this.#waits = new WaitList(clock, "waiting for the socket");
  }

  bound(backend: SocketBackend): void {
    this.#backend = backend;
    this.wake();
  }

  get now(): RdsReadiness {
    return {
      readable: this.#backend?.isReadable ?? false,
      writable: this.#backend?.isWritable ?? false,
      uncongested: !this.isRefused,
    };
  }

  wait(wanted: readonly (keyof RdsReadiness)[], options: WaitOptions): Promise<RdsReadiness> {
    const wrong = this.#closed ?? this.#waits.check(options) ?? checkWanted(wanted);
    if (wrong !== undefined) return Promise.reject(wrong);
    const { now } = this;
    return wanted.some((what) => now[what]) ? Promise.resolve(now) : this.#waits.wait(wanted, options);
  }

  wake(): void {
    if (this.#waits.length === 0) return;
    const { now } = this;
    const answerTo = (wanted: readonly (keyof RdsReadiness)[]): Outcome<RdsReadiness> =>
      wanted.some((what) => now[what]) ? { answer: now } : {};
    this.#waits.answer(() => answerTo);
  }

  close(reason: Error): void {
    this.#closed = reason;
    this.#waits.failAll(reason);
  }
}

const KNOWN: readonly unknown[] = ["readable", "writable", "uncongested"] satisfies readonly (keyof RdsReadiness)[];

/** Nothing would ever come of what nobody knows. */
function checkWanted(wanted: unknown): Error | undefined {
  if (Array.isArray(wanted) && wanted.length > 0 && wanted.every((what) => KNOWN.includes(what))) return undefined;
  return invalid(`poll() takes a list of ${KNOWN.join(", ")}`);
}
