import { VerbenaError } from "@verbena/ib";
import type { Logger } from "../sdk/services.js";

/** Something that cannot be done here, for want of a privilege, a library or a module. */
export interface LostFunction {
  /** What users miss, in words. */
  readonly function: string;
  readonly reason: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** The functions that are lost now. Each is logged once when it goes and once when it comes back. */
export class LossBook {
  readonly #lost = new Map<string, LostFunction>();

  constructor(private readonly logger: Logger) {}

  /** `key` names the cause: the same one is not reported twice. The reason is an error; a coded one brings a remedy if none is given. */
  lose(key: string, what: string, error: unknown, given?: string): void {
    const isNew = !this.#lost.has(key);
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = given ?? (VerbenaError.is(error) ? error.hint : undefined);
    this.#lost.set(key, { function: what, reason, ...(remedy === undefined ? {} : { remedy }) });
    if (isNew) this.logger.warn(`function lost: ${what}`, { reason, ...(remedy === undefined ? {} : { remedy }) });
  }

  /** The cause has gone. Nothing happens if it was not there. */
  regain(key: string): void {
    const lost = this.#lost.get(key);
    if (lost === undefined) return;
    this.#lost.delete(key);
    this.logger.warn(`function is back: ${lost.function}`);
  }

  /** Who asked for the function has gone: it is not missed any more. */
  forget(key: string): void {
    this.#lost.delete(key);
  }

  list(): readonly LostFunction[] {
    return [...this.#lost.values()];
  }
}
