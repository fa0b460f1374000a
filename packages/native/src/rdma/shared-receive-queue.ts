import type { ReceiveRequest, SharedReceiveQueue } from "../api/queue-pair.js";
import type { SharedReceiveQueueBinding } from "../binding.js";
import { awaiting } from "../failure.js";
import type { CqLedger } from "./cq-ledger.js";
import { needInteger } from "./option-error.js";
import { type Child, Resource } from "./resource.js";
import { WorkQueue } from "./work-queue.js";

/** Parts of an {@link OpenSharedReceiveQueue}. */
export interface SharedReceiveQueueParts {
  readonly binding: SharedReceiveQueueBinding;
  readonly context: Resource;
  readonly maxWr: number;
  readonly maxSge: number;
  readonly onClose: (queue: OpenSharedReceiveQueue) => void;
}

/** A shared receive queue. */
export class OpenSharedReceiveQueue implements SharedReceiveQueue, Child {
  readonly kind = "shared-receive-queue";
  readonly id: number;
  readonly maxWr: number;
  readonly maxSge: number;
  /** Queue pairs on it must be of the same. */
  readonly context: Resource;
  readonly resource: Resource;
  readonly #receives: WorkQueue;
  /** Completion queues that hold room for its receives, and for how many queue pairs. */
  readonly #booked = new Map<CqLedger, number>();

  constructor(private readonly parts: SharedReceiveQueueParts) {
    const { binding, maxWr, maxSge, context } = parts;
    this.maxWr = maxWr;
    this.maxSge = maxSge;
    this.context = context;
    this.id = binding.describe().id;
    this.resource = new Resource(`shared receive queue ${this.id}`);
    this.#receives = new WorkQueue(this.resource.what, maxSge, (...list) => binding.postReceive(...list));
  }

  /** Books this queue's share for one more queue pair. It gives it back when it is closed. */
  book(ledger: CqLedger): void {
    ledger.reserve(this, this.maxWr);
    this.#booked.set(ledger, (this.#booked.get(ledger) ?? 0) + 1);
  }

  /** The queue pair was not made. */
  unbook(ledger: CqLedger): void {
    const count = (this.#booked.get(ledger) ?? 0) - 1;
    if (count > 0) {
      this.#booked.set(ledger, count);
    } else {
      this.#booked.delete(ledger);
      ledger.release(this);
    }
  }

  /** The object of the addon, for queue pairs. */
  get raw(): SharedReceiveQueueBinding {
    return this.parts.binding;
  }

  get credits(): number {
    this.resource.mustBeOpen();
    return this.parts.binding.credits();
  }

  postReceive(requests: readonly ReceiveRequest[]): void {
    this.resource.mustBeOpen();
    this.#receives.postReceives(requests);
  }

  async setLimit(limit: number): Promise<void> {
    this.resource.mustBeOpen();
    needInteger("limit", limit, 0, this.maxWr);
    await awaiting("VERBENA_NATIVE_MODIFY", { what: this.resource.what }, () =>
      this.resource.change(() => this.parts.binding.modify(limit)),
    );
  }

  close(): Promise<void> {
    return this.resource.close(async () => {
      await this.parts.binding.close();
      for (const ledger of this.#booked.keys()) ledger.release(this);
      this.parts.onClose(this);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
