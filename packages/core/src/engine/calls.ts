import type { ResolveRequest } from "./contract.js";
import type { EngineSettings } from "./options.js";
import { type Call, makeCall } from "./request-call.js";

/** Makes the calls of one engine, each with an id of its own. */
export class Calls {
  readonly #prefix: string;
  #count = 0;

  constructor(private readonly settings: Pick<EngineSettings, "clock" | "random" | "deadlineMs">) {
    const lot = Math.floor(settings.random() * 0x1_0000);
    this.#prefix = `${lot.toString(16).padStart(4, "0")}-`;
  }

  readonly nextId = (): string => {
    this.#count += 1;
    return this.#prefix + this.#count.toString(36);
  };

  make(destination: string, request: Pick<ResolveRequest, "deadlineMs" | "noDelay" | "signal">): Call {
    const { clock, deadlineMs } = this.settings;
    const startedAt = clock.now();
    return makeCall({
      requestId: this.nextId(),
      destination,
      startedAt,
      deadline: startedAt + (request.deadlineMs ?? deadlineMs),
      signal: request.signal,
      noDelay: request.noDelay ?? false,
    });
  }
}
