import type { SaQuery } from "../sdk/services.js";
import type { Calls } from "./calls.js";
import type { ClientBook } from "./client-book.js";
import type { SaPassThrough, SaPassThroughAnswer } from "./contract.js";
import type { CounterBook } from "./counters.js";
import { chooseEndpoint, type PathEnds } from "./endpoint-choice.js";
import { noEndpoint } from "./endpoint-selector.js";
import type { HostEndpoints } from "./host-endpoints.js";
import type { EngineSettings } from "./options.js";
import { countFailure, type RequestLoop } from "./request-loop.js";
import type { Choice } from "./request-run.js";
import { passThroughError, passThroughQuery } from "./sa-pass-through.js";

export interface SaDoorOptions {
  readonly settings: EngineSettings;
  readonly calls: Calls;
  readonly clients: ClientBook;
  readonly counters: CounterBook;
  readonly host: HostEndpoints;
  readonly loop: RequestLoop;
}

/** Hands a client's record to the SA of the port that owns its source: no cache, no chain. */
export class SaDoor {
  readonly #options: SaDoorOptions;

  constructor(options: SaDoorOptions) {
    this.#options = options;
  }

  async query(request: SaPassThrough): Promise<SaPassThroughAnswer> {
    const { settings, calls, clients, counters, loop } = this.#options;
    const made = calls.make("the SA", request.signal === undefined ? {} : { signal: request.signal });
    const call = { ...made, counts: false };
    const { ends, query } = passThroughQuery(request, call.requestId, settings.deadlineMs);
    counters.core.resolve += 1;
    const usage = clients.request(request.client, call.requestId, call.startedAt);
    const run = loop.start(call, () => this.#choose(ends, query));
    try {
      return await run.run();
    } catch (caught) {
      const error = passThroughError(caught);
      if (run.endpoint !== undefined) countFailure(run.endpoint.counters, error);
      usage.errors += 1;
      throw error;
    }
  }

  #choose(ends: PathEnds, query: SaQuery): Choice<SaPassThroughAnswer> {
    const { host } = this.#options;
    const nowhere = (): Error => noEndpoint("none fits the GIDs, LIDs and P_Key asked for");
    const endpoint = chooseEndpoint(host.runtimes(), ends);
    if (endpoint === undefined) throw nowhere();
    const work = async (): Promise<SaPassThroughAnswer> => {
      const runtime = host.runtimeOf(endpoint.identity);
      if (runtime === undefined) throw nowhere();
      const { status, records } = await runtime.sa.query(query);
      if (status !== 0) endpoint.counters.error += 1;
      return { madStatus: status, record: records[0] ?? Buffer.alloc(query.record.length) };
    };
    return { endpoint, work };
  }
}
