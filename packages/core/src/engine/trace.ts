import { VerbenaError } from "@verbena/ib";
import type { NegativeEntry, PositiveEntry } from "../cache/cache-entry.js";
import type { Clock, SaQuery } from "../sdk/services.js";
import type { Selected } from "./endpoint-selector.js";
import type { CacheState, ExplainStep, ProviderStep, SaStep } from "./explanation.js";

/** An entry, as far as an explanation is concerned. */
type Entry = Pick<PositiveEntry<object> | NegativeEntry, "provider" | "createdAt" | "expiresAt">;

interface LookupNotes {
  readonly providers: ProviderStep[];
  readonly sa: SaStep[];
}

/** Writes down how one request is answered, for `explain`. A request without one costs nothing. */
export class Trace {
  readonly steps: ExplainStep[] = [];
  /** The lookup under way: what the SA is asked belongs to it. */
  #current: LookupNotes | undefined;

  constructor(private readonly clock: Clock) {}

  /** The choice of the endpoint. */
  async endpoint(select: () => Promise<Selected>): Promise<Selected> {
    const startedAt = this.clock.now();
    try {
      const selected = await select();
      const { endpoint, chosenSource } = selected;
      this.steps.push({
        step: "endpoint",
        tookMs: this.clock.now() - startedAt,
        endpoint: endpoint.identity,
        state: endpoint.state,
        ...(chosenSource === undefined ? {} : { chosenSource }),
      });
      return selected;
    } catch (error) {
      this.steps.push({ step: "endpoint", tookMs: this.clock.now() - startedAt, ...codeOf(error) });
      throw error;
    }
  }

  /** A lookup, with what the cache said before it. */
  async lookup<F extends { readonly entry: Entry }>(
    step: "address" | "route",
    about: string,
    before: { readonly cache: CacheState; readonly entry?: Entry | undefined },
    work: () => Promise<F>,
  ): Promise<F> {
    const startedAt = this.clock.now();
    const notes: LookupNotes = { providers: [], sa: [] };
    this.#current = notes;
    const note = (entry: Entry | undefined, failure: { readonly code?: string }): void => {
      const tookMs = this.clock.now() - startedAt;
      this.steps.push({ step, about, cache: before.cache, tookMs, ...notes, ...this.#life(entry), ...failure });
    };
    try {
      const found = await work();
      note(found.entry, {});
      return found;
    } catch (error) {
      note(before.entry, codeOf(error));
      throw error;
    } finally {
      this.#current = undefined;
    }
  }

  provider(outcome: ProviderStep): void {
    this.#current?.providers.push(outcome);
  }

  sa({ method, attributeId }: SaQuery, outcome: SaStep["outcome"], tookMs: number, status?: number): void {
    this.#current?.sa.push({ method, attributeId, outcome, tookMs, ...(status === undefined ? {} : { status }) });
  }

  own(about: string): void {
    this.steps.push({ step: "own", about });
  }

  restart(): void {
    this.steps.push({ step: "restart" });
  }

  #life(entry: Entry | undefined): {
    readonly provider?: string;
    readonly ageMs?: number;
    readonly expiresInMs?: number;
  } {
    if (entry === undefined) return {};
    const { provider, createdAt, expiresAt } = entry;
    const now = this.clock.now();
    const life = { provider, ageMs: now - createdAt };
    return expiresAt === Number.POSITIVE_INFINITY ? life : { ...life, expiresInMs: expiresAt - now };
  }
}

function codeOf(error: unknown): { readonly code?: string } {
  return VerbenaError.is(error) ? { code: error.code } : {};
}
