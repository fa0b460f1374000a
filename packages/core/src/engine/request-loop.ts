import { VerbenaError } from "@verbena/ib";
import type { ResolveAnswer } from "./contract.js";
import type { CounterBook } from "./counters.js";
import { publishRequest } from "./diagnostics.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
import { type Call, leftBehind, noData } from "./request-call.js";
import { type Choose, RequestRun } from "./request-run.js";

export interface RequestLoopOptions {
  readonly settings: EngineSettings;
  readonly counters: CounterBook;
  readonly isClosed: () => boolean;
}

/** Runs requests from their arrival to their end, counts them, and keeps the lookups they leave behind. */
export class RequestLoop {
  readonly #options: RequestLoopOptions;
  /** Lookups that no-delay requests have left behind. */
  readonly #leftBehind = new Set<string>();

  constructor(options: RequestLoopOptions) {
    this.#options = options;
  }

  async serve(call: Call, choose: Choose<ResolveAnswer>): Promise<ResolveAnswer> {
    const { core } = this.#options.counters;
    const run = this.start(call, choose);
    core.resolve += 1;
    try {
      const answer = await run.run();
      this.#publish(call, run);
      return answer;
    } catch (caught) {
      const isDeferred = run.phase === "deferred";
      if (isDeferred) this.#leaveBehind(call, choose, run.endpoint);
      const error = isDeferred ? noData(call.destination) : caught;
      this.#publish(call, run, error);
      countFailure(core, error);
      if (run.endpoint !== undefined) countFailure(run.endpoint.counters, error);
      throw error;
    }
  }

  /** A request that who calls runs, and counts. */
  start<A>(call: Call, choose: Choose<A>): RequestRun<A> {
    const { settings, isClosed } = this.#options;
    return new RequestRun({ clock: settings.clock, isClosed }, call, choose);
  }

  #publish(call: Call, { endpoint }: RequestRun<ResolveAnswer>, error?: unknown): void {
    publishRequest(() => ({
      requestId: call.requestId,
      destination: call.destination,
      durationMs: this.#options.settings.clock.now() - call.startedAt,
      ...(endpoint === undefined ? {} : { endpoint: endpoint.key }),
      ...(error === undefined ? {} : { code: VerbenaError.is(error) ? error.code : "unknown" }),
    }));
  }

  /** What a no-delay request wanted to know is found out for the next one; once, however many ask. */
  #leaveBehind(call: Call, choose: Choose<ResolveAnswer>, endpoint: LocalEndpoint | undefined): void {
    const { clock, deadlineMs } = this.#options.settings;
    const key = `${endpoint?.key ?? ""} ${call.destination}`;
    if (this.#leftBehind.has(key)) return;
    this.#leftBehind.add(key);
    const done = (): void => {
      this.#leftBehind.delete(key);
    };
    this.start(leftBehind(call, clock.now() + deadlineMs), choose)
      .run()
      .then(done, done);
  }
}

/** Status 3 is no error, and a client that has gone gets no reply to count. */
export function countFailure(counters: { error: number; noData: number }, error: unknown): void {
  const code = VerbenaError.is(error) ? error.code : undefined;
  if (code === "VERBENA_RESOLVE_NO_DATA" || code === "VERBENA_RESOLVE_NOT_READY") counters.noData += 1;
  else if (code !== "VERBENA_RESOLVE_ABORTED") counters.error += 1;
}
