import { VerbenaError } from "@verbena/ib";
import { coreError } from "../errors.js";
import type { ResolveAnswer } from "./contract.js";
import type { CounterBook } from "./counters.js";
import { publishRequest } from "./diagnostics.js";
import type { HostEndpoints } from "./host-endpoints.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
import { type Call, leftBehind, NotYet, noData, Restart } from "./request-call.js";
import { waitFor } from "./wait-for.js";

/** How often a request is looked up again because its endpoint changed under it; the deadline ends it anyway. */
const MAX_ROUNDS = 16;

/** The endpoint of a request, and what is to be done under it. */
export interface Choice {
  readonly endpoint: LocalEndpoint;
  readonly work: (call: Call) => Promise<ResolveAnswer>;
}

/** Made anew in each round: the endpoints may be others by then. Throws or rejects with a coded error when there is none. */
export type Choose = () => Promise<Choice> | Choice;

export interface RequestLoopOptions {
  readonly settings: EngineSettings;
  readonly host: HostEndpoints;
  readonly counters: CounterBook;
  readonly isClosed: () => boolean;
}

/** What a request has reached so far; for the counting. */
interface Progress {
  endpoint?: LocalEndpoint | undefined;
  hasReached: boolean;
}

/** Takes requests from their arrival to their end: endpoint, lookups, again if the endpoint changes meanwhile; and counts them. */
export class RequestLoop {
  readonly #options: RequestLoopOptions;
  /** Lookups that no-delay requests have left behind. */
  readonly #leftBehind = new Set<string>();

  constructor(options: RequestLoopOptions) {
    this.#options = options;
  }

  async serve(call: Call, choose: Choose): Promise<ResolveAnswer> {
    const { core } = this.#options.counters;
    const progress: Progress = { hasReached: false };
    core.resolve += 1;
    try {
      const answer = await this.#lookUp(call, choose, progress);
      this.#publish(call, progress);
      return answer;
    } catch (caught) {
      if (caught instanceof NotYet) this.#leaveBehind(call, choose, progress.endpoint);
      const error = caught instanceof NotYet ? noData(call.destination) : caught;
      this.#publish(call, progress, error);
      countFailure(core, error);
      if (progress.endpoint !== undefined) countFailure(progress.endpoint.counters, error);
      throw error;
    }
  }

  /**
   * Returns when the endpoint is ready. One that is being opened is waited for; one whose providers cannot work yet, or at all, is not.
   * Rejects with {@link Restart} when the endpoint has gone meanwhile.
   */
  async untilReady(endpoint: LocalEndpoint, call: Call): Promise<void> {
    if (endpoint.state === "ready") return;
    const { settings, host } = this.#options;
    if (endpoint.isOpening && call.waits) await waitFor(settings.clock, endpoint.opened, call);
    if (!host.endpoints().includes(endpoint)) throw new Restart();
    const state = endpoint.currentState();
    if (state === "ready") return;
    throw coreError("VERBENA_RESOLVE_NOT_READY", { details: { endpoint: endpoint.key, state } });
  }

  async #lookUp(call: Call, choose: Choose, progress: Progress): Promise<ResolveAnswer> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (this.#options.isClosed()) throw coreError("VERBENA_RESOLVE_CLOSED");
      const { endpoint, work } = await choose();
      progress.endpoint = endpoint;
      try {
        await this.untilReady(endpoint, call);
        if (call.counts && !progress.hasReached) endpoint.counters.resolve += 1;
        progress.hasReached = true;
        return await work(call);
      } catch (error) {
        if (!(error instanceof Restart)) throw error;
        progress.endpoint = undefined;
        call.trace?.restart();
        if (this.#options.settings.clock.now() >= call.deadline) throw call.timeout();
      }
    }
    throw noData(call.destination);
  }

  #publish(call: Call, { endpoint }: Progress, error?: unknown): void {
    publishRequest(() => ({
      requestId: call.requestId,
      destination: call.destination,
      durationMs: this.#options.settings.clock.now() - call.startedAt,
      ...(endpoint === undefined ? {} : { endpoint: endpoint.key }),
      ...(error === undefined ? {} : { code: VerbenaError.is(error) ? error.code : "unknown" }),
    }));
  }

  /** What a no-delay request wanted to know is found out for the next one; once, however many ask. */
  #leaveBehind(call: Call, choose: Choose, endpoint: LocalEndpoint | undefined): void {
    const { clock, deadlineMs } = this.#options.settings;
    const key = `${endpoint?.key ?? ""} ${call.destination}`;
    if (this.#leftBehind.has(key)) return;
    this.#leftBehind.add(key);
    const done = (): void => {
      this.#leftBehind.delete(key);
    };
    this.#lookUp(leftBehind(call, clock.now() + deadlineMs), choose, { hasReached: false }).then(done, done);
  }
}

/** Status 3 is no error, and a client that has gone gets no reply to count. */
export function countFailure(counters: { error: number; noData: number }, error: unknown): void {
  const code = VerbenaError.is(error) ? error.code : undefined;
  if (code === "VERBENA_RESOLVE_NO_DATA" || code === "VERBENA_RESOLVE_NOT_READY") counters.noData += 1;
  else if (code !== "VERBENA_RESOLVE_ABORTED") counters.error += 1;
}
