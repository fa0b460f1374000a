import type { ChannelToken } from "../api/completions.js";
import type { CompletionChannelBinding, CompletionQueueBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { calling, failure } from "../failure.js";
import { SingleReaderQueue } from "../streams/single-reader-queue.js";
import type { OpenCompletionQueue, QueueChannel } from "./completion-queue.js";
import { type Child, Resource } from "./resource.js";

/** Who reads a channel. */
type Reader = "queues" | "events" | "group";

/** A group that reads a channel. */
export interface ChannelReader {
  /** A queue was made on it. */
  readonly onQueue: (queue: OpenCompletionQueue) => void;
  /** It is about to be closed. */
  readonly onClose: () => void;
}

/** Parts of an {@link OpenCompletionChannel}. */
export interface CompletionChannelParts {
  readonly binding: CompletionChannelBinding;
  readonly name: string;
  /** Of another thread: its queues are met when their events come. */
  readonly adopt?: (binding: CompletionQueueBinding, channel: OpenCompletionChannel) => OpenCompletionQueue;
  readonly onClose: (channel: OpenCompletionChannel) => void;
}

/** A completion channel of this thread, or this thread's hold on one of another. */
export class OpenCompletionChannel implements QueueChannel, Child {
  readonly kind = "channel";
  readonly fd: number;
  readonly resource: Resource;
  readonly #queues = new Map<number, OpenCompletionQueue>();
  readonly #watching = new Set<OpenCompletionQueue>();
  readonly #events: SingleReaderQueue<OpenCompletionQueue>;
  #group: ChannelReader | undefined;
  #eventReader = false;
  #isStarted = false;
  #isReading = false;
  #isShared: boolean;
  #failure: Error | undefined;

  constructor(private readonly parts: CompletionChannelParts) {
    this.fd = parts.binding.fd();
    this.resource = new Resource(`completion channel ${parts.name}`);
    this.#isShared = parts.adopt !== undefined;
    this.#events = new SingleReaderQueue(this.resource.what, {
      pause: () => this.#setReading(false),
      resume: () => this.#setReading(true),
    });
  }

  get isShared(): boolean {
    return this.#isShared;
  }

  get queues(): Iterable<OpenCompletionQueue> {
    return this.#queues.values();
  }

  tryRead(): OpenCompletionQueue | undefined {
    this.resource.mustBeOpen();
    const reader = this.#reader;
    if (reader !== undefined) throw this.#busy();
    // What a reader of events() has left behind was read from the channel already.
    return this.#events.takeNow() ?? this.takeEvents(1)[0];
  }

  events(): AsyncIterableIterator<OpenCompletionQueue> {
    this.resource.mustBeOpen();
    const reader = this.#reader;
    if (reader !== undefined && reader !== "events") throw this.#busy();
    const inner = this.#events.read();
    this.#eventReader = true;
    this.#setReading(true);
    let isOver = false;
    return {
      next: () => inner.next(),
      return: () => {
        // Once: there may be another reader by now.
        if (!isOver) {
          isOver = true;
          this.#eventReader = false;
          this.#setReading(false);
        }
        return inner.return?.() ?? Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  share(): ChannelToken {
    this.resource.mustBeOpen();
    if (this.#reader === "queues") throw this.#busy();
    const verbenaChannel = this.#calling(() => this.parts.binding.share());
    this.#isShared = true;
    return { verbenaChannel, name: this.parts.name };
  }

  /** The object of the addon, for queues. */
  get raw(): CompletionChannelBinding {
    return this.parts.binding;
  }

  /** A queue that has been made on this channel. */
  adopt(queue: OpenCompletionQueue): void {
    this.#queues.set(queue.id, queue);
    this.resource.add(queue);
    this.#group?.onQueue(queue);
  }

  forget(queue: OpenCompletionQueue): void {
    this.watch(queue, false);
    this.#queues.delete(queue.id);
    this.resource.remove(queue);
  }

  watch(queue: OpenCompletionQueue, isWatching: boolean): void {
    if (!isWatching) {
      if (this.#watching.delete(queue) && this.#watching.size === 0) this.#setReading(false);
      return;
    }
    if (this.#watching.has(queue)) return;
    if (this.#reader === "events" || this.#reader === "group") throw this.#busy();
    if (this.#failure !== undefined) throw this.#failure;
    this.#watching.add(queue);
    this.#setReading(true);
  }

  /** The channel is read through a group. Throws `VERBENA_NATIVE_BUSY` if it is read already. */
  join(group: ChannelReader): void {
    this.resource.mustBeOpen();
    if (this.#reader !== undefined) throw this.#busy();
    this.#group = group;
  }

  /** It is not any more. */
  leaveGroup(): void {
    this.#group = undefined;
  }

  /** Takes up to `max` events that are there: their queues, counted and acknowledged in time. */
  takeEvents(max: number): readonly OpenCompletionQueue[] {
    const ids = this.#calling(() => this.parts.binding.tryRead(max));
    return ids.map((id) => this.#count(id)).filter((queue) => queue !== undefined);
  }

  close(): Promise<void> {
    return this.resource.close(async () => {
      this.#events.end(true);
      this.#group?.onClose();
      await this.parts.binding.close();
      this.parts.onClose(this);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #reader(): Reader | undefined {
    if (this.#group !== undefined) return "group";
    if (this.#eventReader) return "events";
    return this.#watching.size > 0 ? "queues" : undefined;
  }

  /** Counts an event of the queue of this number, which is `undefined` if it is closed. */
  #count(id: number): OpenCompletionQueue | undefined {
    const queue = this.#queues.get(id) ?? this.#meet(id);
    queue?.onEvent();
    return queue;
  }

  #meet(id: number): OpenCompletionQueue | undefined {
    if (this.parts.adopt === undefined) return undefined;
    const binding = this.parts.binding.queue(id);
    if (binding === undefined) return undefined;
    const queue = this.parts.adopt(binding, this);
    this.adopt(queue);
    return queue;
  }

  #setReading(isReading: boolean): void {
    if (this.#isReading === isReading || this.#failure !== undefined || this.resource.isClosing) return;
    this.#isReading = isReading;
    if (this.#isStarted) this.parts.binding.setReading(isReading);
    else this.#start();
  }

  #start(): void {
    this.#isStarted = true;
    this.#calling(() =>
      this.parts.binding.start(
        (...ids) => {
          for (const id of ids) {
            const queue = this.#count(id);
            if (queue !== undefined && this.#eventReader) this.#events.push(queue);
          }
        },
        (cause) => this.#fail(failure("VERBENA_NATIVE_CHANNEL", { what: this.resource.what }, cause)),
      ),
    );
  }

  /** Nothing is read any more. */
  #fail(error: Error): void {
    this.#failure = error;
    this.#events.fail(error);
    for (const queue of [...this.#watching]) queue.delivery.fail(error);
  }

  #calling<T>(call: () => T): T {
    return calling("VERBENA_NATIVE_CHANNEL", { what: this.resource.what }, call);
  }

  #busy(): Error {
    return nativeError("VERBENA_NATIVE_BUSY", { details: { what: this.resource.what } });
  }
}
