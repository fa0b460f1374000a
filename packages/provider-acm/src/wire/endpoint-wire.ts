import type {
  AddressHandle,
  CompletionBatch,
  CompletionChannel,
  CompletionQueue,
  Context,
  MemoryRegion,
  ProtectionDomain,
  QueuePair,
  ReceiveRequest,
} from "@verbena/core/sdk";
import { type Gid, GRH_SIZE, MAD_SIZE } from "@verbena/ib";
import { ACM_QKEY } from "../groups/group-spec.js";
import { AddressHandles, type Way } from "./address-handles.js";
import type { Arrival } from "./packet.js";
import { SendSlots } from "./send-slots.js";

/** Of one receive: GRH and message. */
const SLOT_SIZE = GRH_SIZE + MAD_SIZE;
/** What a longer datagram has beyond that goes here, whichever receive it took: the largest MTU, or it would break the queue pair. */
const OVERFLOW_SIZE = 4096 - MAD_SIZE;
/** Work requests with this bit are sends. */
const SEND = 0x10_0000;

export interface WireOptions {
  readonly rdma: Context;
  readonly port: number;
  readonly pkeyIndex: number;
  /** Receives that are posted. */
  readonly recvDepth: number;
  /** Sends under way at once. */
  readonly sendDepth: number;
  /** A datagram has come; its bytes are valid during the call. */
  readonly onArrival: (arrival: Arrival) => void;
  /** A message that was taken could not be sent. */
  readonly onSendError: () => void;
  /** A request has failed, and with it the queue pair: it has to be made anew. */
  readonly onBroken: (status: string) => void;
}

/** The queue pair of an endpoint: datagrams out, datagrams in. */
export class EndpointWire {
  readonly qpn: number;
  readonly #options: WireOptions;
  readonly #parts: WireParts;
  readonly #slots: SendSlots;
  readonly #handles: AddressHandles;
  readonly #receives: readonly ReceiveRequest[];
  readonly #reading: Promise<void>;
  #isClosed = false;
  #isBroken = false;

  private constructor(options: WireOptions, parts: WireParts) {
    this.#options = options;
    this.#parts = parts;
    this.qpn = parts.pair.qpn;
    this.#slots = new SendSlots(options.sendDepth);
    this.#handles = new AddressHandles(parts.pd, options.port, 2 * options.sendDepth);
    const { memory } = parts;
    const overflow = { region: memory, offset: parts.overflowAt, length: OVERFLOW_SIZE };
    this.#receives = Array.from({ length: options.recvDepth }, (_, slot) => ({
      wrId: slot,
      data: [{ region: memory, offset: slot * SLOT_SIZE, length: SLOT_SIZE }, overflow],
    }));
    parts.pair.postReceive(this.#receives);
    this.#reading = this.#read();
  }

  /** Makes the queue pair, ready to send and to receive. Rejects with the coded errors of `@verbena/native`. */
  static async open(wanted: WireOptions): Promise<EndpointWire> {
    const { maxQpWr } = wanted.rdma.limits();
    const recvDepth = Math.min(wanted.recvDepth, maxQpWr);
    const sendDepth = Math.min(wanted.sendDepth, maxQpWr);
    const options = { ...wanted, recvDepth, sendDepth };
    const pd = await options.rdma.createProtectionDomain();
    let channel: CompletionChannel | undefined;
    try {
      const overflowAt = recvDepth * SLOT_SIZE + sendDepth * MAD_SIZE;
      const memory = await pd.allocate(overflowAt + OVERFLOW_SIZE);
      channel = await options.rdma.createCompletionChannel();
      const cq = await options.rdma.createCompletionQueue({ depth: recvDepth + sendDepth, channel });
      const pair = await pd.createQueuePair({
        type: "ud",
        sendCq: cq,
        maxSendWr: sendDepth,
        maxRecvWr: recvDepth,
        maxRecvSge: 2,
      });
      await pair.toInit({ port: options.port, pkeyIndex: options.pkeyIndex, qkey: ACM_QKEY });
      await pair.toRtr();
      await pair.toRts();
      return new EndpointWire(options, { pd, channel, cq, pair, memory, overflowAt });
    } catch (error) {
      await channel?.close();
      await pd.close();
      throw error;
    }
  }

  /** A request has failed; also told by `onBroken`, but for one that fails before {@link EndpointWire.open} has settled. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Hears a group from now on. Rejects with `VERBENA_NATIVE_MODIFY`. */
  attach(mgid: Gid, mlid: number): Promise<void> {
    return this.#parts.pair.attachMulticast(mgid, mlid);
  }

  /** Hears it no longer. */
  detach(mgid: Gid, mlid: number): Promise<void> {
    return this.#parts.pair.detachMulticast(mgid, mlid);
  }

  /**
   * Sends a message; `done` is called when the device is through with it, or when it could not be sent after all. False when there is no room
   * for it.
   */
  send(message: Buffer, way: Way, qpn: number, done: () => void = () => undefined): boolean {
    if (this.#isClosed || this.#isBroken) return false;
    const slot = this.#slots.take(done);
    if (slot === undefined) return false;
    this.#parts.memory.bytes.set(message, this.#sendOffset(slot));
    const handle = this.#handles.of(way);
    if (handle instanceof Promise) {
      handle.then(
        (made) => {
          this.#post(slot, message.length, made, qpn);
        },
        () => {
          this.#giveUp(slot);
        },
      );
    } else this.#post(slot, message.length, handle, qpn);
    return true;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { pd, channel } = this.#parts;
    await channel.close();
    await this.#reading;
    await pd.close();
  }

  #sendOffset(slot: number): number {
    return this.#options.recvDepth * SLOT_SIZE + slot * MAD_SIZE;
  }

  #post(slot: number, length: number, ah: AddressHandle, qpn: number): void {
    const { memory, pair } = this.#parts;
    const data = { region: memory, offset: this.#sendOffset(slot), length };
    try {
      if (!this.#isClosed) pair.postSend([{ wrId: SEND + slot, data, to: { ah, qpn, qkey: ACM_QKEY } }]);
    } catch {
      this.#giveUp(slot);
    }
  }

  #giveUp(slot: number): void {
    this.#options.onSendError();
    this.#slots.complete(slot);
  }

  async #read(): Promise<void> {
    try {
      for await (const batch of this.#parts.cq.completions()) this.#take(batch);
    } catch (error) {
      this.#break(String(error));
    }
  }

  #take(batch: CompletionBatch): void {
    const used: ReceiveRequest[] = [];
    for (let i = 0; i < batch.length; i++) {
      const wrId = batch.wrId(i);
      if (batch.statusCode(i) !== 0) this.#break(batch.at(i).status);
      if (wrId >= SEND) this.#slots.complete(wrId - SEND);
      else if (batch.statusCode(i) === 0) {
        this.#arrive(batch, i, wrId);
        const receive = this.#receives[wrId];
        if (receive !== undefined) used.push(receive);
      }
    }
    if (used.length === 0 || this.#isClosed || this.#isBroken) return;
    try {
      this.#parts.pair.postReceive(used);
    } catch (error) {
      this.#break(String(error));
    }
  }

  #arrive(batch: CompletionBatch, index: number, slot: number): void {
    if (this.#isClosed) return;
    const { byteLength, hasGrh, slid, srcQpn, pathBits } = batch.at(index);
    const { bytes } = this.#parts.memory;
    const view = Buffer.from(bytes.buffer, bytes.byteOffset + slot * SLOT_SIZE, Math.min(byteLength, SLOT_SIZE));
    this.#options.onArrival({ bytes: view, byteLength, hasGrh, slid, srcQpn, pathBits });
  }

  #break(status: string): void {
    if (this.#isClosed || this.#isBroken) return;
    this.#isBroken = true;
    this.#options.onBroken(status);
  }
}

interface WireParts {
  readonly pd: ProtectionDomain;
  readonly channel: CompletionChannel;
  readonly cq: CompletionQueue;
  readonly pair: QueuePair;
  readonly memory: MemoryRegion;
  readonly overflowAt: number;
}
