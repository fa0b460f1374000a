import type { Clock, DatagramReceiveRequest, ReceivedItem, SocketBackend } from "@verbena/core/sdk";
import { invalid } from "./ends.js";
import type { SocketSettings } from "./socket-settings.js";
import type { RdsReceiveOptions } from "./types.js";
import { WaitList } from "./wait-list.js";

/** The receiving half of a socket: who waits gets the next message, in the order of asking. */
export class Receiver {
  readonly #settings: SocketSettings;
  readonly #waits: WaitList<DatagramReceiveRequest, ReceivedItem>;
  #backend: SocketBackend | undefined;
  #closed: Error | undefined;

  constructor(clock: Clock, settings: SocketSettings) {
    this.#settings = settings;
    this.#waits = new WaitList(clock, "receiving");
  }

  bound(backend: SocketBackend): void {
    this.#backend = backend;
    this.wake();
  }

  /** Those who wait come first. */
  tryReceive(request: DatagramReceiveRequest): ReceivedItem | undefined {
    const wrong = checkLength(request);
    if (wrong !== undefined) throw wrong;
    return this.#backend?.tryReceive(request);
  }

  receive({
    timeoutMs = this.#settings.receiveTimeoutMs,
    signal,
    ...request
  }: RdsReceiveOptions): Promise<ReceivedItem> {
    const options = signal === undefined ? { timeoutMs } : { timeoutMs, signal };
    const wrong = this.#closed ?? this.#waits.check(options) ?? checkLength(request);
    if (wrong !== undefined) return Promise.reject(wrong);
    const item = this.#backend?.tryReceive(request);
    return item === undefined ? this.#waits.wait(request, options) : Promise.resolve(item);
  }

  /** As {@link receive} without a time-out; `undefined` once the socket is closed. */
  async receiveOrEnd(): Promise<ReceivedItem | undefined> {
    try {
      return await this.receive({ timeoutMs: 0 });
    } catch (error) {
      if (this.#closed !== undefined) return undefined;
      throw error;
    }
  }

  /** Something may be there. */
  wake(): void {
    const backend = this.#backend;
    if (backend === undefined || this.#waits.length === 0) return;
    this.#waits.answer(() => (request) => {
      const answer = backend.tryReceive(request);
      return answer === undefined ? { isLast: true } : { answer };
    });
  }

  close(reason: Error): void {
    this.#closed = reason;
    this.#waits.failAll(reason);
  }
}

function checkLength({ maxLength }: DatagramReceiveRequest): Error | undefined {
  if (maxLength === undefined || (typeof maxLength === "number" && maxLength >= 0)) return undefined;
  return invalid(`maxLength must be a number that is not negative, not ${String(maxLength)}`);
}
