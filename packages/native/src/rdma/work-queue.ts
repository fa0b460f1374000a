import type { PreparedWork, ReceiveRequest, SendRequest } from "../api/queue-pair.js";
import type { PreparedWorkBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { failure } from "../failure.js";
import { optionError } from "./option-error.js";
import { WorkRecords } from "./work-records.js";

/** What the addon does with a list of records. */
type Post = (records: Uint8Array, count: number, maxSegments: number) => number;

/** One direction of a queue pair, or a shared receive queue: translates requests and posts them. */
export class WorkQueue {
  readonly #records: WorkRecords;

  constructor(
    /** Names the queue in errors. */
    readonly what: string,
    maxSegments: number,
    private readonly post: Post,
  ) {
    this.#records = new WorkRecords(maxSegments);
  }

  postSends(requests: readonly SendRequest[], token = 0): void {
    this.#records.clear();
    for (const request of requests) this.#records.send(request, token);
    this.#post();
  }

  postReceives(requests: readonly ReceiveRequest[], token = 0): void {
    this.#records.clear();
    for (const request of requests) this.#records.receive(request, token);
    this.#post();
  }

  /** Hands the translated requests to `prepare`. */
  prepareSends(
    requests: readonly SendRequest[],
    prepare: (...args: Parameters<Post>) => PreparedWorkBinding,
    onClose: (list: PreparedWork) => void,
  ): PreparedWork {
    this.#records.clear();
    for (const request of requests) this.#records.send(request, 0);
    return this.#prepare(prepare, onClose);
  }

  prepareReceives(
    requests: readonly ReceiveRequest[],
    prepare: (...args: Parameters<Post>) => PreparedWorkBinding,
    onClose: (list: PreparedWork) => void,
  ): PreparedWork {
    this.#records.clear();
    for (const request of requests) this.#records.receive(request, 0);
    return this.#prepare(prepare, onClose);
  }

  #prepare(
    prepare: (...args: Parameters<Post>) => PreparedWorkBinding,
    onClose: (list: PreparedWork) => void,
  ): PreparedWork {
    const { bytes, count, maxSegments } = this.#records;
    if (count === 0) throw optionError("nothing to prepare");
    const what = this.what;
    const binding = posting(what, () => prepare(bytes, count, maxSegments));
    return new PreparedList(what, count, binding, onClose);
  }

  #post(): void {
    const { bytes, count, maxSegments } = this.#records;
    if (count === 0) return;
    if (posting(this.what, () => this.post(bytes, count, maxSegments)) < 0) throw full(this.what, count);
  }
}

/** Requests that the addon has translated. */
class PreparedList implements PreparedWork {
  #isClosed = false;

  constructor(
    private readonly what: string,
    readonly length: number,
    private readonly binding: PreparedWorkBinding,
    private readonly onClose: (list: PreparedWork) => void,
  ) {}

  post(): void {
    if (this.#isClosed) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: "prepared work" } });
    let posted: number;
    try {
      posted = this.binding.post();
    } catch (cause) {
      throw postError(this.what, cause);
    }
    if (posted < 0) throw full(this.what, this.length);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.binding.close();
    this.onClose(this);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function posting<T>(what: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    throw postError(what, cause);
  }
}

/** The addon refuses requests of a closed region with a TypeError; everything else is the device's word. */
function postError(what: string, cause: unknown): Error {
  const posted = typeof cause === "object" && cause !== null && "posted" in cause ? cause.posted : 0;
  return failure("VERBENA_NATIVE_POST", { what, posted }, cause);
}

function full(what: string, count: number): Error {
  return nativeError("VERBENA_NATIVE_QUEUE_FULL", { details: { what, count } });
}
