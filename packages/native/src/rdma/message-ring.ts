import { VerbenaError } from "@verbena/ib";
import type { Completion, CompletionBatch, Message } from "../api/completions.js";
import type { MemoryRegion } from "../api/memory.js";
import type { ReceiveRequest } from "../api/queue-pair.js";
import { nativeError } from "../errors.js";
import type { TokenTable } from "./token-table.js";
import { completionError } from "./waiting-sends.js";

/** Bytes in front of a datagram. */
export const GRH_SIZE = 40;

/** Parts of a {@link MessageRing}. */
export interface MessageRingParts {
  readonly what: string;
  readonly region: MemoryRegion;
  readonly count: number;
  /** Of one receive, with the GRH. */
  readonly slotSize: number;
  /** In front of the payload: 40 for datagrams, else 0. */
  readonly headerSize: number;
  readonly tokens: TokenTable;
  readonly delivery: { expect(): void; unexpect(): void };
  readonly post: (requests: readonly ReceiveRequest[], token: number) => void;
}

/** A ring of receives: each is posted again when its message has been used. */
export class MessageRing implements AsyncIterableIterator<Message> {
  readonly #token: number;
  readonly #arrived: Completion[] = [];
  /** Slots whose message was used, not posted yet. */
  #idle: number[] = [];
  #current: number | undefined;
  #wake: (() => void) | undefined;
  #isPulling = false;
  #isClosing = false;
  #isEnded = false;

  constructor(private readonly parts: MessageRingParts) {
    this.#token = parts.tokens.add((records, index) => this.#complete(records, index));
    this.#idle = Array.from({ length: parts.count }, (_, slot) => slot);
    try {
      this.#repost();
    } catch (error) {
      // What the device has taken still completes with it.
      if (postedBefore(error) === 0) parts.tokens.delete(this.#token);
      throw error;
    }
  }

  /** Rejects with `VERBENA_NATIVE_BUSY` while another pull is under way. */
  async next(): Promise<IteratorResult<Message>> {
    if (this.#isPulling) throw nativeError("VERBENA_NATIVE_BUSY", { details: { what: this.parts.what } });
    this.#isPulling = true;
    try {
      return await this.#pull();
    } finally {
      this.#isPulling = false;
    }
  }

  async #pull(): Promise<IteratorResult<Message>> {
    if (this.#current !== undefined) this.#idle.push(this.#current);
    this.#current = undefined;
    // In batches: one call for a quarter of the ring, but none left out while waiting.
    if (this.#idle.length * 4 >= this.parts.count || this.#arrived.length === 0) this.#repost();
    while (this.#arrived.length === 0 && !this.#isEnded) await this.#wait();
    const completion = this.#arrived.shift();
    if (completion === undefined) return { done: true, value: undefined };
    if (completion.statusCode !== 0) {
      this.#finish();
      throw completionError(this.parts.what, completion);
    }
    this.#current = completion.wrId;
    return { done: false, value: this.#message(completion) };
  }

  return(): Promise<IteratorResult<Message>> {
    this.#finish();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The queue pair is about to be closed: receives that it flushes from now on are no failure. */
  beginEnd(): void {
    this.#isClosing = true;
  }

  /** The queue pair is closed: what has come is still delivered, unless it is a flushed receive. */
  end(): void {
    while (this.#arrived.length > 0 && this.#arrived.at(-1)?.statusCode !== 0) this.#arrived.pop();
    this.#isEnded = true;
    this.#wake?.();
    this.parts.tokens.delete(this.#token);
  }

  #finish(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#arrived.length = 0;
    this.#wake?.();
  }

  #complete(records: CompletionBatch, index: number): false {
    // Receives that come after the ring was left are dropped with their token still in use.
    if (this.#isEnded || (this.#isClosing && records.statusCode(index) !== 0)) return false;
    this.#arrived.push(records.at(index));
    this.#wake?.();
    return false;
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      // A refusal rejects the promise.
      this.parts.delivery.expect();
      this.#wake = () => {
        this.#wake = undefined;
        this.parts.delivery.unexpect();
        resolve();
      };
    });
  }

  #repost(): void {
    const { region, slotSize, post } = this.parts;
    const slots = this.#idle;
    if (slots.length === 0 || this.#isClosing || this.#isEnded) return;
    this.#idle = [];
    try {
      post(
        slots.map((slot) => ({ wrId: slot, data: { region, offset: slot * slotSize, length: slotSize } })),
        this.#token,
      );
    } catch (error) {
      this.#idle = slots.slice(postedBefore(error));
      throw error;
    }
  }

  #message(completion: Completion): Message {
    const { region, slotSize, headerSize } = this.parts;
    const begin = completion.wrId * slotSize;
    // The bytes of an RDMA write are where the peer wrote them.
    const length = completion.opcode === "receive-rdma-with-imm" ? 0 : completion.byteLength;
    const end = begin + length;
    return {
      completion,
      grh: completion.hasGrh && headerSize > 0 ? region.bytes.subarray(begin, begin + headerSize) : undefined,
      bytes: region.bytes.subarray(begin + headerSize, Math.max(end, begin + headerSize)),
    };
  }
}

/** How many requests of a list the device took before the one that it refused. */
function postedBefore(error: unknown): number {
  const posted = VerbenaError.is(error) ? error.details["posted"] : undefined;
  return typeof posted === "number" ? posted : 0;
}
