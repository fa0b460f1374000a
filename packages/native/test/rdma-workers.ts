import { Worker } from "node:worker_threads";
import type { ChannelToken, openNative } from "../src/index.js";
import { fixtureProgram } from "./fixture-program.js";

/** What one event brought to a thread. */
export interface WorkerEvent {
  /** `id` of the queue that the event named. */
  readonly cq: number;
  /** Of the completions that were there. */
  readonly wrIds: readonly number[];
  /** When they were in hand, microseconds of the monotonic clock, which all threads share. */
  readonly atUs: number;
}

/** How a thread of test/fixtures/rdma-worker.ts works. */
export interface WorkerOptions {
  readonly options: Parameters<typeof openNative>[0];
  /** Arms the queue of each event before it polls, or leaves that to others. */
  readonly manner: "arms" | "leaves-unarmed";
  /** After each event it is busy while element 0 is 0, and counts in element 1. */
  readonly gate?: Int32Array;
}

/** A thread that reads a channel. */
export interface ChannelWorker {
  /** Ends it; resolves with the number of events that reached it. */
  stop(): Promise<number>;
  /** Ends it wherever it is. */
  kill(): Promise<unknown>;
}

/** A thread on the channel of `token`; resolves once it reads. */
export async function startWorker(
  token: ChannelToken,
  options: WorkerOptions,
  onEvent: (event: WorkerEvent) => void,
): Promise<ChannelWorker> {
  const { path, execArgv } = fixtureProgram("rdma-worker");
  const worker = new Worker(path, { workerData: { ...options, token }, execArgv: [...execArgv] });
  const events = new Promise<number>((resolve, reject) => {
    worker.on("error", reject);
    worker.on("message", (message: WorkerEvent | number | "ready") => {
      if (typeof message === "number") resolve(message);
      else if (message !== "ready") onEvent(message);
    });
  });
  await new Promise((resolve) => worker.once("message", resolve));
  return {
    stop: () => {
      worker.postMessage("stop");
      return events;
    },
    kill: () => worker.terminate(),
  };
}

/** Collects items and lets somebody wait until enough are there. */
export class Arrivals<T> {
  readonly items: T[] = [];
  #waiting: { readonly isEnough: (items: readonly T[]) => boolean; readonly resolve: () => void } | undefined;

  readonly push = (item: T): void => {
    this.items.push(item);
    if (this.#waiting?.isEnough(this.items) !== true) return;
    this.#waiting.resolve();
    this.#waiting = undefined;
  };

  /** Resolves once `isEnough`. */
  async until(isEnough: (items: readonly T[]) => boolean): Promise<void> {
    if (isEnough(this.items)) return;
    await new Promise<void>((resolve) => {
      this.#waiting = { isEnough, resolve };
    });
  }

  /** Resolves once there are `count` items, with the last of them. */
  async reach(count: number): Promise<T> {
    await this.until((items) => items.length >= count);
    return this.items[count - 1] as T;
  }
}
