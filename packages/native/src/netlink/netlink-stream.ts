import { VerbenaError } from "@verbena/ib";
import type { NetlinkSocketBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { failure } from "../failure.js";
import { SingleReaderQueue } from "../streams/single-reader-queue.js";

/** What is done with what a netlink socket brings. Coded errors thrown by the two functions end the stream. */
export interface NetlinkStreamParts<E> {
  /** Names the stream in errors. */
  readonly what: string;
  readonly code: "VERBENA_NATIVE_NETLINK" | "VERBENA_NATIVE_RDMA_NETLINK";
  open(): NetlinkSocketBinding;
  onDatagram(datagram: Buffer): readonly E[];
  /** The kernel had to drop datagrams. */
  onOverflow(): readonly E[];
  /** Tells the parent that the stream is closed. */
  onClose(): void;
}

/** A netlink socket as an async iterator of events. Listens from its creation on, so that nothing is missed before the first read. */
export class NetlinkStream<E> {
  readonly #queue: SingleReaderQueue<E>;
  readonly #socket: NetlinkSocketBinding;
  #isClosed = false;

  constructor(private readonly parts: NetlinkStreamParts<E>) {
    this.#socket = this.#calling(() => parts.open());
    this.#queue = new SingleReaderQueue<E>(parts.what, {
      pause: () => this.#socket.setReading(false),
      resume: () => this.#socket.setReading(true),
    });
    try {
      this.#calling(() => {
        this.#socket.start(
          (datagrams) => {
            for (const datagram of datagrams) this.step(() => parts.onDatagram(datagram));
          },
          () => this.step(() => parts.onOverflow()),
          (cause) => this.#queue.fail(failure(parts.code, {}, cause)),
        );
      });
    } catch (error) {
      this.#socket.close();
      throw error;
    }
  }

  /** Queues what `produce` gives; what it throws ends the stream. */
  step(produce: () => readonly E[]): void {
    if (this.#isClosed) return;
    try {
      for (const event of produce()) this.#queue.push(event);
    } catch (cause) {
      this.#socket.setReading(false);
      this.#queue.fail(VerbenaError.is(cause) ? cause : failure(this.parts.code, {}, cause));
    }
  }

  /** One datagram to the kernel. */
  send(datagram: Uint8Array): void {
    this.#mustBeOpen();
    this.#calling(() => this.#socket.send(datagram));
  }

  /** The one reader. */
  events(): AsyncIterableIterator<E> {
    this.#mustBeOpen();
    return this.#queue.read();
  }

  /** Idempotent. */
  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#queue.end(true);
      this.#socket.close();
      this.parts.onClose();
    }
    return Promise.resolve();
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: this.parts.what } });
  }

  #calling<T>(call: () => T): T {
    try {
      return call();
    } catch (cause) {
      throw failure(this.parts.code, {}, cause);
    }
  }
}
