import { coreError } from "../errors.js";
import type { Calls } from "./calls.js";
import type { ClientBook } from "./client-book.js";
import type { SaPassThrough, SaPassThroughAnswer } from "./contract.js";
import type { CounterBook } from "./counters.js";
import { chooseEndpoint } from "./endpoint-choice.js";
import { noEndpoint } from "./endpoint-selector.js";
import type { HostEndpoints } from "./host-endpoints.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
import { Restart } from "./request-call.js";
import { countFailure, type RequestLoop } from "./request-loop.js";
import { passThroughError, passThroughQuery } from "./sa-pass-through.js";

export interface SaDoorOptions {
  readonly settings: EngineSettings;
  readonly calls: Calls;
  readonly clients: ClientBook;
  readonly counters: CounterBook;
  readonly host: HostEndpoints;
  readonly loop: RequestLoop;
  readonly isClosed: () => boolean;
}

/** Hands a client's record to the SA of the port that owns its source: no cache, no chain. */
export class SaDoor {
  readonly #options: SaDoorOptions;

  constructor(options: SaDoorOptions) {
    this.#options = options;
  }

  async query(request: SaPassThrough): Promise<SaPassThroughAnswer> {
    const { settings, calls, clients, counters, host, loop, isClosed } = this.#options;
    const nowhere = (): Error => noEndpoint("none fits the GIDs, LIDs and P_Key asked for");
    const call = calls.make("the SA", request.signal === undefined ? {} : { signal: request.signal });
    const { ends, query } = passThroughQuery(request, call.requestId, settings.deadlineMs);
    counters.core.resolve += 1;
    const usage = clients.request(request.client, call.requestId, call.startedAt);
    let endpoint: LocalEndpoint | undefined;
    try {
      if (isClosed()) throw coreError("VERBENA_RESOLVE_CLOSED");
      endpoint = chooseEndpoint(host.runtimes(), ends);
      if (endpoint === undefined) throw nowhere();
      await loop.untilReady(endpoint, call);
      const runtime = host.runtimeOf(endpoint.identity);
      if (runtime === undefined) throw nowhere();
      const { status, records } = await runtime.sa.query(query);
      if (status !== 0) endpoint.counters.error += 1;
      return { madStatus: status, record: records[0] ?? Buffer.alloc(query.record.length) };
    } catch (caught) {
      const error = caught instanceof Restart ? nowhere() : passThroughError(caught);
      if (endpoint !== undefined) countFailure(endpoint.counters, error);
      usage.errors += 1;
      throw error;
    }
  }
}
