import type { CompletionBatch } from "../api/completions.js";
import { nativeError } from "../errors.js";
import { asError } from "../failure.js";
import type { CompletionRecords } from "./completion-records.js";
import type { Command, EventProtocol } from "./event-protocol.js";
import type { TokenTable } from "./token-table.js";
import type { ClockUs, TurnBudget } from "./turn-budget.js";

/** What delivery does to its queue. */
export interface DeliverySource {
  /** As `CompletionQueueBinding.poll`, into the records. */
  poll(): number;
  armAndPoll(): number;
  acknowledge(count: number): void;
  /** Whether events are wanted at all. */
  watch(isWatching: boolean): void;
}

/** Parts of a {@link Delivery}. */
export interface DeliveryParts {
  /** Names the queue in errors. */
  readonly what: string;
  readonly source: DeliverySource;
  readonly protocol: EventProtocol;
  readonly records: CompletionRecords;
  readonly tokens: TokenTable;
  readonly budget: TurnBudget;
  readonly clock: ClockUs;
}

type Result = IteratorResult<CompletionBatch>;

const END: Result = Object.freeze({ done: true, value: undefined });

/**
 * Brings completions of one queue to who wants them: those with a token to their handlers, the others in batches to the one reader. Runs
 * only while there is somebody; carries out what {@link EventProtocol} says.
 */
export class Delivery {
  /** Completions that came while only handlers waited. There are never more than requests under way. */
  readonly #backlog: CompletionBatch[] = [];
  #waiting: { readonly resolve: (result: Result) => void; readonly reject: (error: Error) => void } | undefined;
  #reader: object | undefined;
  /** Handlers that wait. */
  #expected = 0;
  #isScheduled = false;
  /** Of what the block holds. */
  #hasTokens = false;
  #isDrained = false;
  #isEnded = false;
  #error: Error | undefined;

  /** The block is the same each time, and so is what is said of it. */
  readonly #block: Result;
  readonly #given: Promise<Result>;

  constructor(private readonly parts: DeliveryParts) {
    this.#block = Object.freeze({ done: false, value: parts.records });
    this.#given = Promise.resolve(this.#block);
  }

  get hasReader(): boolean {
    return this.#reader !== undefined;
  }

  /** The reader. Throws `VERBENA_NATIVE_BUSY` while there is another. */
  read(): AsyncIterableIterator<CompletionBatch> {
    if (this.#reader !== undefined) throw this.#busy();
    this.#watchNow();
    const reader: AsyncIterableIterator<CompletionBatch> = {
      next: () => (this.#reader === reader ? this.#next() : Promise.resolve(END)),
      return: () => {
        if (this.#reader === reader) this.#leave();
        return Promise.resolve(END);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
    this.#reader = reader;
    return reader;
  }

  /** A handler waits for completions from now on. Throws `VERBENA_NATIVE_BUSY`, with nothing changed, where others read the channel. */
  expect(): void {
    this.#watchNow();
    this.#expected++;
    if (this.#isEnded) return;
    if (this.parts.protocol.isWanted || this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      if (this.#isDemanded && !this.parts.protocol.isWanted) this.#drive(this.#pull());
    });
  }

  /** It waits no more. */
  unexpect(): void {
    this.#expected--;
    if (!this.#isDemanded) this.#rest();
  }

  /** An event of this queue was read. */
  onEvent(): void {
    this.parts.budget.renew();
    const command = this.parts.protocol.event();
    this.#acknowledge();
    if (command !== "wait") this.#drive(command);
  }

  /** Whether the last {@link pollNow} emptied the queue: it took fewer than it had room for (ibv_poll_cq(3)). */
  get isDrained(): boolean {
    return this.#isDrained;
  }

  /** Hands out what has a token, and gives the rest: first what came while only handlers waited. Empty only if the queue is. */
  pollNow(): CompletionBatch {
    const kept = this.#backlog.shift();
    if (kept !== undefined) {
      this.#isDrained = false;
      return kept;
    }
    const { records } = this.parts;
    do {
      this.#isDrained = this.#poll() < records.capacity;
      records.length = this.#dispatch();
    } while (records.length === 0 && !this.#isDrained);
    return records;
  }

  /** Takes everything that is there: handlers get theirs, the reader's share waits for it. */
  flush(): void {
    while (!this.#isEnded && this.#poll() > 0) this.#keep(this.#dispatch());
    if (this.#waiting !== undefined) this.#settle();
  }

  /** Ends the stream; a reader still gets what waits for it. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#rest();
    this.#settle();
  }

  /** Ends the stream with an error, delivered once. */
  fail(error: Error): void {
    if (this.#isEnded) return;
    this.#error = error;
    this.end();
  }

  get #isDemanded(): boolean {
    return this.#waiting !== undefined || this.#expected > 0;
  }

  #next(): Promise<Result> {
    if (this.#waiting !== undefined) return Promise.reject(this.#busy());
    const kept = this.#backlog.shift();
    if (kept !== undefined) return Promise.resolve({ done: false, value: kept });
    if (this.#error !== undefined) {
      const error = this.#error;
      this.#error = undefined;
      return Promise.reject(asError(error));
    }
    if (this.#isEnded) return Promise.resolve(END);
    if (this.parts.budget.hasRoom()) {
      try {
        const batch = this.#run(this.#pull(), true);
        if (batch !== undefined)
          return batch === this.parts.records ? this.#given : Promise.resolve(this.#result(batch));
      } catch (error) {
        return Promise.reject(asError(error));
      }
      return this.#wait();
    }
    const promise = this.#wait();
    this.parts.budget.yield(() => this.#drive(this.#pull()));
    return promise;
  }

  #result(batch: CompletionBatch): Result {
    return batch === this.parts.records ? this.#block : { done: false, value: batch };
  }

  #wait(): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #pull(): Command {
    return this.parts.protocol.pull(this.#nowUs());
  }

  /** The clock is read for each batch, so only where it matters. */
  #nowUs(): number {
    return this.parts.protocol.isTimed ? this.parts.clock() : 0;
  }

  /** Runs commands from a callback; a failure ends the stream. */
  #drive(command: Command): void {
    try {
      const batch = this.#run(command, this.#waiting !== undefined);
      if (batch === undefined) return;
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.resolve(this.#result(batch));
    } catch (error) {
      this.fail(asError(error));
    }
  }

  /** Carries out commands until a batch for the reader is there, or there is something to wait for. */
  #run(first: Command, isReading: boolean): CompletionBatch | undefined {
    const { source, protocol, budget, records } = this.parts;
    let command = first;
    for (;;) {
      switch (command) {
        case "poll":
          command = protocol.polled(this.#poll(), this.#nowUs());
          break;
        case "arm":
          // What follows arming is always a look; in one call, as this is on the way from an event to its reader.
          this.#take(source.armAndPoll());
          protocol.armed();
          command = protocol.polled(records.length, this.#nowUs());
          break;
        case "yield":
          budget.yield(() => this.#drive(protocol.turned()));
          return undefined;
        case "wait":
          return undefined;
        case "deliver": {
          const batch = this.#share(isReading);
          if (batch !== undefined) return batch;
          if (!isReading && this.#expected === 0) return undefined;
          command = this.#pull();
          if (!budget.hasRoom()) {
            budget.yield(() => this.#drive(command));
            return undefined;
          }
          break;
        }
        default:
          return command satisfies never;
      }
    }
  }

  /** Hands out what has just been polled. What it returns belongs to the reader until it pulls again. */
  #share(isReading: boolean): CompletionBatch | undefined {
    const { records } = this.parts;
    const count = this.#dispatch();
    records.length = count;
    if (count === 0) return undefined;
    if (!isReading) {
      this.#keep(count);
      return undefined;
    }
    if (this.#expected === 0) return records;
    // Handlers go on while the reader looks at its batch.
    this.#continue();
    return records.copy();
  }

  #continue(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      if (this.#expected > 0 && !this.parts.protocol.isWanted) this.#drive(this.#pull());
    });
  }

  #keep(count: number): void {
    const { records } = this.parts;
    records.length = count;
    if (count > 0) this.#backlog.push(records.copy());
  }

  /** Fills the block; the number of completions. */
  #poll(): number {
    return this.#take(this.parts.source.poll());
  }

  #take(polled: number): number {
    const { records, budget } = this.parts;
    this.#hasTokens = (polled & 1) !== 0;
    records.length = polled >>> 1;
    if (records.length > 0) budget.spend(records.length);
    return records.length;
  }

  /** Gives completions to their handlers and closes the gaps; the number of those left. */
  #dispatch(): number {
    const { records, tokens } = this.parts;
    const count = records.length;
    if (!this.#hasTokens) return count;
    let left = 0;
    for (let i = 0; i < count; i++) {
      const token = records.token(i);
      if (token === 0) {
        records.move(i, left++);
        continue;
      }
      // Of nobody any more: the wait was given up with its queue pair.
      if (tokens.get(token)?.(records, i) === true) {
        tokens.delete(token);
        this.#expected--;
      }
    }
    if (!this.#isDemanded) this.#rest();
    return left;
  }

  #acknowledge(isLast = false): void {
    const count = this.parts.protocol.takeAcknowledgements(isLast);
    if (count > 0) this.parts.source.acknowledge(count);
  }

  /** For one more who waits, before he is counted. */
  #watchNow(): void {
    if (!this.#isEnded) this.parts.source.watch(true);
  }

  #watch(): void {
    if (!this.#isEnded) this.parts.source.watch(this.#reader !== undefined || this.#expected > 0);
  }

  /** Nobody waits. */
  #rest(): void {
    this.parts.protocol.leave();
    this.parts.budget.cancel();
    if (this.#isEnded) {
      this.#acknowledge(true);
      this.parts.source.watch(false);
    } else {
      this.#watch();
    }
  }

  #leave(): void {
    this.#reader = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(END);
    if (this.#expected === 0) this.#rest();
  }

  /** Answers a reader that waits with what there is. */
  #settle(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    const kept = this.#backlog.shift();
    if (kept !== undefined) waiting.resolve({ done: false, value: kept });
    else if (this.#error !== undefined) waiting.reject(this.#takeError());
    else if (this.#isEnded) waiting.resolve(END);
    else this.#waiting = waiting;
  }

  #takeError(): Error {
    const error = this.#error ?? new Error("no error");
    this.#error = undefined;
    return error;
  }

  #busy(): Error {
    return nativeError("VERBENA_NATIVE_BUSY", { details: { what: this.parts.what } });
  }
}
