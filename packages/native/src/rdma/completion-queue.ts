import type {
  CompletionBatch,
  CompletionChannel,
  CompletionQueue,
  CompletionQueueOptions,
  DeliveryMode,
} from "../api/completions.js";
import type { CompletionQueueBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { awaiting, failure } from "../failure.js";
import { CompletionRecords } from "./completion-records.js";
import { CqLedger } from "./cq-ledger.js";
import { Delivery } from "./delivery.js";
import { EventProtocol, type Watching } from "./event-protocol.js";
import { needInteger, optionError } from "./option-error.js";
import { type Child, Resource } from "./resource.js";
import type { TokenTable } from "./token-table.js";
import { type ClockUs, TurnBudget } from "./turn-budget.js";

const BATCH_SIZE = 256;
const BUDGET = { items: 4096, microseconds: 2000 };

/** How a queue is read. */
export type ReadingOptions = Pick<CompletionQueueOptions, "mode" | "solicitedOnly" | "batchSize" | "budget">;

/** What a queue needs of its channel. */
export interface QueueChannel extends CompletionChannel {
  /** Other threads may take its events. */
  readonly isShared: boolean;
  /** The queue begins or ends to wait for its events. Throws `VERBENA_NATIVE_BUSY` while the channel is read by others. */
  watch(queue: OpenCompletionQueue, isWatching: boolean): void;
  /** The queue is gone. */
  forget(queue: OpenCompletionQueue): void;
}

/** Parts of an {@link OpenCompletionQueue}. */
export interface CompletionQueueParts {
  readonly binding: CompletionQueueBinding;
  readonly channel: QueueChannel | undefined;
  readonly vector: number;
  readonly tokens: TokenTable;
  readonly clock: ClockUs;
  readonly onClose: (queue: OpenCompletionQueue) => void;
}

/** A completion queue of this thread, or this thread's hold on one of another. */
export class OpenCompletionQueue implements CompletionQueue, Child {
  readonly kind = "completion-queue";
  readonly id: number;
  readonly vector: number;
  readonly channel: QueueChannel | undefined;
  readonly resource: Resource;
  readonly ledger = new CqLedger();
  readonly delivery: Delivery;
  readonly #protocol: EventProtocol;
  readonly #isSolicitedOnly: boolean;
  readonly #byEvent: boolean;
  #depth: number;

  constructor(
    private readonly parts: CompletionQueueParts,
    options: ReadingOptions,
  ) {
    const { binding, channel, vector, tokens, clock } = parts;
    const { id, depth } = binding.describe();
    this.id = id;
    this.#depth = depth;
    this.vector = vector;
    this.channel = channel;
    this.resource = new Resource(`completion queue ${id}`);
    this.#isSolicitedOnly = options.solicitedOnly ?? false;
    const watching = watchingOf(options.mode, channel !== undefined);
    this.#byEvent = watching.byEvent;
    this.#protocol = new EventProtocol(watching);
    const capacity = Math.min(options.batchSize ?? BATCH_SIZE, depth);
    const records = new CompletionRecords(this, capacity, binding.records(capacity));
    this.delivery = new Delivery({
      what: this.resource.what,
      protocol: this.#protocol,
      records,
      tokens,
      clock,
      budget: new TurnBudget({ ...BUDGET, ...options.budget }, clock),
      source: {
        poll: () => {
          try {
            return binding.poll();
          } catch (cause) {
            throw this.#failure("poll", cause);
          }
        },
        armAndPoll: () => {
          try {
            return binding.armAndPoll(this.#isSolicitedOnly);
          } catch (cause) {
            throw this.#failure("arm", cause);
          }
        },
        acknowledge: (count) => binding.acknowledge(count),
        watch: (isWatching) => {
          if (this.#byEvent) channel?.watch(this, isWatching);
        },
      },
    });
  }

  get depth(): number {
    return this.#depth;
  }

  get reserved(): number {
    return this.ledger.reserved;
  }

  /** The object of the addon, for queue pairs. */
  get raw(): CompletionQueueBinding {
    return this.parts.binding;
  }

  completions(): AsyncIterableIterator<CompletionBatch> {
    this.resource.mustBeOpen();
    this.mustBeOwn("completions()");
    return this.delivery.read();
  }

  poll(): CompletionBatch {
    this.resource.mustBeOpen();
    if (this.delivery.hasReader) throw nativeError("VERBENA_NATIVE_BUSY", { details: { what: this.resource.what } });
    return this.delivery.pollNow();
  }

  arm(options: { readonly solicitedOnly?: boolean } = {}): void {
    this.resource.mustBeOpen();
    const solicitedOnly = options.solicitedOnly ?? this.#isSolicitedOnly;
    try {
      this.parts.binding.arm(solicitedOnly);
    } catch (cause) {
      throw this.#failure("arm", cause);
    }
  }

  async resize(depth: number): Promise<void> {
    this.resource.mustBeOpen();
    needInteger("depth", depth, 1, 2 ** 31 - 1);
    await this.resource.change(() => this.#resize(depth));
  }

  /** Throws `VERBENA_NATIVE_OPTION` if the events of this queue may go to another thread. */
  mustBeOwn(method: string): void {
    if (this.#byEvent && this.channel?.isShared === true) {
      throw optionError(
        `${method} of ${this.resource.what}: its channel is shared; read it by events() of the channel`,
      );
    }
  }

  /** An event was read on behalf of somebody who arms the queue himself. */
  onEvent(): void {
    this.delivery.onEvent();
  }

  close(): Promise<void> {
    return this.resource.close(async () => {
      this.delivery.end();
      this.channel?.forget(this);
      await this.parts.binding.close();
      this.parts.onClose(this);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Made only when it is needed: these calls are made for each batch. */
  #failure(verb: string, cause: unknown): Error {
    return failure("VERBENA_NATIVE_RECEIVE", { what: `${this.resource.what} (${verb})` }, cause);
  }

  async #resize(depth: number): Promise<void> {
    const { what } = this.resource;
    this.ledger.check(what, depth, 0);
    const before = this.#depth;
    // What is to go is not given to queue pairs that are made meanwhile.
    this.#depth = Math.min(before, depth);
    try {
      this.#depth = await awaiting("VERBENA_NATIVE_MODIFY", { what }, () => this.parts.binding.resize(depth));
    } catch (error) {
      this.#depth = before;
      throw error;
    }
  }
}

/** How a queue of this mode is watched. Throws `VERBENA_NATIVE_OPTION` for what cannot be. */
export function watchingOf(wanted: DeliveryMode | undefined, hasChannel: boolean): Watching {
  const mode = wanted ?? (hasChannel ? "event" : "poll");
  if (mode === "poll") return { byEvent: false, spinUs: 0 };
  if (!hasChannel) throw optionError("a completion queue without a channel can only be polled: mode must be poll");
  if (mode === "event") return { byEvent: true, spinUs: 0 };
  if (!(mode.spinUs >= 0)) throw optionError("mode.spinUs must be a number of microseconds");
  return { byEvent: true, spinUs: mode.spinUs };
}
