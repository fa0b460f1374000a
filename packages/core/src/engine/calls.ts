import type { ResolveRequest } from "./contract.js";
import type { EngineSettings } from "./options.js";
import { type Call, makeCall } from "./request-call.js";

/** Makes the calls of one engine, each with an id of its own. */
export class Calls {
  readonly nextId: () => string;

  constructor(private readonly settings: Pick<EngineSettings, "clock" | "accounts" | "deadlineMs">) {
    this.nextId = settings.accounts.nextRequestId;
  }

  make(destination: string, request: Pick<ResolveRequest, "deadlineMs" | "noDelay" | "signal" | "source">): Call {
    const { clock, deadlineMs } = this.settings;
    const startedAt = clock.now();
    return makeCall({
      requestId: this.nextId(),
      destination,
      startedAt,
      deadline: startedAt + (request.deadlineMs ?? deadlineMs),
      signal: request.signal,
      noDelay: request.noDelay ?? false,
      source: request.source,
    });
  }
}
