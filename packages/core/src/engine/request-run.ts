import { coreError } from "../errors.js";
import type { Clock } from "../sdk/services.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import { type Call, NotYet, noData, Restart } from "./request-call.js";
import {
  endpointSignal,
  type RequestAgain,
  type RequestPhase,
  type RequestSight,
  type RequestSignals,
  stepRequest,
} from "./request-machine.js";
import { waitFor } from "./wait-for.js";

/** How often a request is looked up again because its endpoint changed under it; the deadline ends it anyway. */
const MAX_ROUNDS = 16;

/** The endpoint of a request, and what is to be done under it. */
export interface Choice<A> {
  readonly endpoint: LocalEndpoint;
  readonly work: (call: Call) => Promise<A>;
}

/** Made anew in each round: the endpoints may be others by then. Throws or rejects with a coded error when there is none. */
export type Choose<A> = () => Promise<Choice<A>> | Choice<A>;

/** What a run needs of the engine. */
export interface RunHost {
  readonly clock: Clock;
  readonly isClosed: () => boolean;
}

/** One request through its machine: endpoint, lookups, again if the endpoint changes meanwhile. */
export class RequestRun<A> {
  #phase: RequestPhase = "choosing";
  #choice: Choice<A> | undefined;
  #rounds = 0;
  #hasReached = false;
  /** Gives or throws what the work has led to; until then there is nothing to give. */
  #conclude: () => A = () => {
    throw noData(this.call.destination);
  };

  constructor(
    private readonly host: RunHost,
    private readonly call: Call,
    private readonly choose: Choose<A>,
  ) {}

  get phase(): RequestPhase {
    return this.#phase;
  }

  /** The one it is under; `undefined` when it reached none, or the one it had has changed. */
  get endpoint(): LocalEndpoint | undefined {
    return this.#choice?.endpoint;
  }

  /** To be called once. Rejects with the coded errors of the engine, with {@link NotYet} when it ends `deferred`. */
  async run(): Promise<A> {
    for (;;) {
      switch (this.#phase) {
        case "choosing":
          this.#phase = stepRequest("choosing", await this.#chooseEndpoint());
          break;
        case "waiting":
          this.#phase = stepRequest("waiting", await this.#wait());
          break;
        case "working":
          this.#phase = stepRequest("working", await this.#work());
          break;
        case "answered":
        case "deferred":
        case "failed":
          return this.#conclude();
        case "unready":
          throw coreError("VERBENA_RESOLVE_NOT_READY", {
            details: { endpoint: this.endpoint?.key, state: this.endpoint?.state },
          });
        case "late":
          throw this.call.timeout();
        case "lost":
          throw noData(this.call.destination);
        case "closed":
          throw coreError("VERBENA_RESOLVE_CLOSED");
        default:
          return this.#phase satisfies never;
      }
    }
  }

  async #chooseEndpoint(): Promise<RequestSignals["choosing"]> {
    this.#rounds += 1;
    if (this.host.isClosed()) return "closed";
    try {
      this.#choice = await this.choose();
      return this.#look(this.#choice);
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #wait(): Promise<RequestSignals["waiting"]> {
    const choice = this.#choice;
    if (choice === undefined) return this.#again();
    try {
      await waitFor(this.host.clock, choice.endpoint.opened, this.call);
      return this.#look(choice);
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #work(): Promise<RequestSignals["working"]> {
    const choice = this.#choice;
    if (choice === undefined) return this.#again();
    if (this.call.counts && !this.#hasReached) choice.endpoint.counters.resolve += 1;
    this.#hasReached = true;
    try {
      const answer = await choice.work(this.call);
      this.#conclude = () => answer;
      return "answer";
    } catch (error) {
      if (error instanceof Restart) return this.#again();
      const signal = this.#failed(error);
      return error instanceof NotYet ? "not-yet" : signal;
    }
  }

  #look({ endpoint }: Choice<A>): RequestSight | RequestAgain {
    const signal = endpointSignal(endpoint.phase, this.call.waits);
    return signal === "changed" ? this.#again() : signal;
  }

  #again(): RequestAgain {
    this.#choice = undefined;
    this.call.trace?.restart();
    if (this.host.clock.now() >= this.call.deadline) return "late";
    return this.#rounds >= MAX_ROUNDS ? "often" : "changed";
  }

  #failed(error: unknown): "failure" {
    this.#conclude = () => {
      throw error;
    };
    return "failure";
  }
}
