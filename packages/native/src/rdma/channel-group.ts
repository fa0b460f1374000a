import { VerbenaError } from "@verbena/ib";
import type {
  ChannelGroup,
  ChannelGroupOptions,
  CompletionBatch,
  CompletionChannel,
  GroupEvent,
  GroupMembership,
  WaitOptions,
} from "../api/completions.js";
import type { ChannelGroupBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { calling } from "../failure.js";
import { OpenCompletionChannel } from "./completion-channel.js";
import type { OpenCompletionQueue } from "./completion-queue.js";
import { GroupWait } from "./group-wait.js";
import { needInteger, optionError } from "./option-error.js";
import { PrioritySchedule } from "./priority-schedule.js";
import { Resource } from "./resource.js";
import type { TurnBudget } from "./turn-budget.js";

/** Of epoll: what is wrong with a descriptor. */
const [EPOLLERR, EPOLLHUP] = [8, 16];

interface Member {
  readonly key: number;
  readonly channel: OpenCompletionChannel;
  readonly priority: number;
}

interface OpenGroupEvent extends GroupEvent {
  readonly cq: OpenCompletionQueue;
}

/** An epoll set of channels and the order in which they are served. */
export class OpenChannelGroup implements ChannelGroup {
  readonly #resource = new Resource("channel group");
  readonly #members = new Map<number, Member>();
  readonly #maxEvents: number;
  readonly #schedule: PrioritySchedule;
  readonly #wait: GroupWait;
  /** Queues that may have completions, by class: armed, not yet found empty. */
  readonly #active = new Map<number, Set<OpenCompletionQueue>>();
  /** Failures of channels that have left, which nobody has heard of yet. */
  readonly #failures: Error[] = [];
  /** Ends the pause between two turns, which a close must not leave pending. */
  #resume: (() => void) | undefined;
  #isServing = false;
  #lastKey = 0;

  constructor(
    private readonly binding: ChannelGroupBinding,
    options: ChannelGroupOptions,
    private readonly budget: TurnBudget,
    private readonly onClose: (group: OpenChannelGroup) => void,
  ) {
    const { lowerShare = 8, maxEvents = 64 } = options;
    needInteger("lowerShare", lowerShare, 2, 2 ** 31);
    needInteger("maxEvents", maxEvents, 1, 0xffff);
    this.#maxEvents = maxEvents;
    this.#schedule = new PrioritySchedule(lowerShare);
    this.#wait = new GroupWait(binding, this.#resource.what);
  }

  add(channel: CompletionChannel, { priority = 0 }: GroupMembership = {}): void {
    this.#resource.mustBeOpen();
    needInteger("priority", priority, 0, 2 ** 31);
    if (!(channel instanceof OpenCompletionChannel)) throw optionError("a group takes completion channels");
    channel.join({ onQueue: (queue) => this.#onQueue(queue, priority), onClose: () => this.remove(channel) });
    const member = { key: ++this.#lastKey, channel, priority };
    try {
      this.#calling(() => this.binding.add(channel.fd, member.key));
    } catch (error) {
      channel.leaveGroup();
      throw error;
    }
    this.#members.set(member.key, member);
    for (const queue of channel.queues) this.#onQueue(queue, priority);
  }

  remove(channel: CompletionChannel): void {
    for (const member of this.#members.values()) {
      if (member.channel === channel) this.#drop(member);
    }
  }

  async wait(options: WaitOptions = {}): Promise<readonly GroupEvent[]> {
    this.#resource.mustBeOpen();
    const { timeoutMs, signal } = options;
    if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs >= 0)) {
      throw optionError("timeoutMs must be a number of milliseconds, 0 or more");
    }
    signal?.throwIfAborted();
    const wait = this.#wait.begin(timeoutMs, signal);
    try {
      for (;;) {
        const events = this.#collect();
        if (events.length > 0 || wait.isOver) return events;
        await wait.ready();
      }
    } finally {
      wait.end();
    }
  }

  async *completions(options: { readonly signal?: AbortSignal } = {}): AsyncIterableIterator<CompletionBatch> {
    this.#resource.mustBeOpen();
    if (this.#isServing) throw nativeError("VERBENA_NATIVE_BUSY", { details: { what: this.#resource.what } });
    this.#isServing = true;
    for (const { channel, priority } of this.#members.values()) {
      for (const queue of channel.queues) this.#onQueue(queue, priority);
    }
    try {
      while (!this.#resource.isClosing) {
        options.signal?.throwIfAborted();
        // Before each batch: what is more urgent may have come meanwhile.
        for (const { cq, priority } of this.#collect()) this.#onQueue(cq, priority);
        const batch = this.#serve();
        if (batch !== undefined) yield batch;
        else await this.#untilReady(options.signal);
        if (!this.budget.hasRoom()) await this.#nextTurn();
      }
    } finally {
      this.#isServing = false;
      this.#active.clear();
    }
  }

  close(): Promise<void> {
    return this.#resource.close(() => {
      for (const member of [...this.#members.values()]) this.#drop(member);
      this.#wait.close();
      this.budget.cancel();
      this.#resume?.();
      this.binding.close();
      this.onClose(this);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Events that are there, the most urgent class first. */
  #collect(): readonly OpenGroupEvent[] {
    if (this.#resource.isClosing) return [];
    this.#throwFailure();
    const flat = this.#calling(() => this.binding.poll());
    const ready: (Member & { readonly mask: number })[] = [];
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const member = this.#members.get(flat[i] ?? 0);
      if (member !== undefined) ready.push({ ...member, mask: flat[i + 1] ?? 0 });
    }
    ready.sort((a, b) => a.priority - b.priority);
    const events: OpenGroupEvent[] = [];
    for (const { mask, ...member } of ready) {
      if (events.length >= this.#maxEvents) break;
      events.push(...this.#take(member, mask, this.#maxEvents - events.length));
    }
    if (events.length === 0) this.#throwFailure();
    return events;
  }

  /** Up to `max` events of one channel. Of a broken one those that are left, then it leaves. */
  #take(member: Member, mask: number, max: number): readonly OpenGroupEvent[] {
    const { channel, priority } = member;
    try {
      const events = channel.takeEvents(max).map((cq) => ({ channel, cq, priority }));
      if (events.length === 0 && (mask & (EPOLLERR | EPOLLHUP)) !== 0) this.#leave(member, mask);
      return events;
    } catch (cause) {
      this.#leave(member, mask, cause);
      return [];
    }
  }

  #throwFailure(): void {
    const error = this.#failures.shift();
    if (error !== undefined) throw error;
  }

  /** One batch of the class whose turn it is; `undefined` if no queue has anything. */
  #serve(): CompletionBatch | undefined {
    for (;;) {
      const ready = [...this.#active].filter(([, queues]) => queues.size > 0).map(([priority]) => priority);
      ready.sort((a, b) => a - b);
      const chosen = this.#schedule.next(ready);
      if (chosen === undefined) return undefined;
      const batch = this.#serveClass(this.#active.get(chosen));
      if (batch === undefined) continue;
      this.#schedule.took(chosen, ready);
      return batch;
    }
  }

  /** One batch of the first queue that has completions; those that have none are done with. */
  #serveClass(queues: Set<OpenCompletionQueue> | undefined): CompletionBatch | undefined {
    for (const queue of queues ?? []) {
      queues?.delete(queue);
      if (queue.resource.isClosing) continue;
      const batch = queue.poll();
      this.budget.spend(batch.length);
      if (batch.length === 0) continue;
      // To the end of its class: queues of one class take turns. One that was emptied is armed, or its event is there to be read.
      if (!queue.delivery.isDrained) queues?.add(queue);
      return batch;
    }
    return undefined;
  }

  /** A queue that may have completions: armed first, so that what comes after the last look raises an event. */
  #onQueue(queue: OpenCompletionQueue, priority: number): void {
    if (!this.#isServing || queue.resource.isClosing) return;
    queue.arm();
    let queues = this.#active.get(priority);
    if (queues === undefined) {
      queues = new Set();
      this.#active.set(priority, queues);
    }
    queues.add(queue);
  }

  async #untilReady(signal: AbortSignal | undefined): Promise<void> {
    const wait = this.#wait.begin(undefined, signal);
    try {
      await wait.ready();
    } catch (error) {
      if (!this.#resource.isClosing) throw error;
    } finally {
      wait.end();
    }
  }

  /** Resolves in the next turn of the loop, or when the group is closed. */
  #nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
      this.budget.yield(resolve);
    });
  }

  #drop(member: Member): void {
    this.#members.delete(member.key);
    this.binding.remove(member.channel.fd);
    for (const queue of member.channel.queues) {
      for (const queues of this.#active.values()) queues.delete(queue);
    }
    member.channel.leaveGroup();
  }

  #leave(member: Member, mask: number, cause?: unknown): void {
    const { channel } = member;
    this.#drop(member);
    const what = `${this.#resource.what}: ${channel.resource.what}`;
    const seen = (mask & EPOLLHUP) !== 0 ? "hung up" : "in error";
    const { details, errno, syscall } = VerbenaError.is(cause) ? cause : {};
    const reason = details?.["reason"] ?? seen;
    this.#failures.push(
      nativeError("VERBENA_NATIVE_CHANNEL", { details: { what, reason, channel }, cause, errno, syscall }),
    );
  }

  #calling<T>(call: () => T): T {
    return calling("VERBENA_NATIVE_CHANNEL", { what: this.#resource.what }, call);
  }
}
