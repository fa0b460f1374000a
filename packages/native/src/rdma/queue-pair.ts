import { Gid, type Mtu } from "@verbena/ib";
import type { Completion, Message, MessageOptions } from "../api/completions.js";
import type { MemoryRegion } from "../api/memory.js";
import type {
  PreparedWork,
  QueuePair,
  QueuePairAttributes,
  QueuePairCaps,
  QueuePairStatus,
  QueuePairType,
  ReceiveRequest,
  SendRequest,
} from "../api/queue-pair.js";
import type { QueuePairBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { asError, awaiting } from "../failure.js";
import { decodeStatus, encodeAttributes, queryMask } from "./attribute-fields.js";
import type { OpenCompletionQueue } from "./completion-queue.js";
import { GRH_SIZE, MessageRing } from "./message-ring.js";
import { needInteger, optionError } from "./option-error.js";
import { type Child, Resource } from "./resource.js";
import type { OpenSharedReceiveQueue } from "./shared-receive-queue.js";
import type { TokenTable } from "./token-table.js";
import { WaitingSends } from "./waiting-sends.js";
import { WorkQueue } from "./work-queue.js";

/** Receives of a message ring unless it is told otherwise. */
const RING_COUNT = 64;

/** Parts of an {@link OpenQueuePair}. */
export interface QueuePairParts {
  readonly binding: QueuePairBinding;
  readonly type: QueuePairType;
  /** As asked for. */
  readonly caps: QueuePairCaps;
  readonly sendCq: OpenCompletionQueue;
  readonly recvCq: OpenCompletionQueue;
  readonly srq: OpenSharedReceiveQueue | undefined;
  readonly tokens: TokenTable;
  readonly activeMtu: (port: number) => Mtu;
  readonly allocate: (length: number) => Promise<MemoryRegion>;
  readonly onClose: (pair: OpenQueuePair) => void;
}

/** A queue pair, what waits for its sends, and the ring of its receives. */
export class OpenQueuePair implements QueuePair, Child {
  readonly kind = "queue-pair";
  readonly qpn: number;
  readonly type: QueuePairType;
  readonly sendCq: OpenCompletionQueue;
  readonly recvCq: OpenCompletionQueue;
  readonly srq: OpenSharedReceiveQueue | undefined;
  readonly caps: QueuePairCaps;
  readonly #resource: Resource;
  readonly #sends: WorkQueue;
  readonly #receives: WorkQueue;
  readonly #waiting: WaitingSends;
  readonly #prepared = new Set<PreparedWork>();
  #port = 1;
  #hasRing = false;
  #ring: MessageRing | undefined;
  #ringMemory: MemoryRegion | undefined;

  constructor(private readonly parts: QueuePairParts) {
    const { binding, type, caps, sendCq, recvCq, srq, tokens } = parts;
    const { qpn, maxInline } = binding.describe();
    this.qpn = qpn;
    this.type = type;
    this.sendCq = sendCq;
    this.recvCq = recvCq;
    this.srq = srq;
    this.caps = { ...caps, maxInline };
    this.#resource = new Resource(`queue pair ${qpn}`);
    this.#sends = new WorkQueue(`the send queue of queue pair ${qpn}`, caps.maxSendSge, (...list) =>
      binding.postSend(...list),
    );
    this.#receives = new WorkQueue(`the receive queue of queue pair ${qpn}`, caps.maxRecvSge, (...list) =>
      binding.postReceive(...list),
    );
    this.#waiting = new WaitingSends(this.#resource.what, tokens, sendCq.delivery);
  }

  get sendCredits(): number {
    this.#resource.mustBeOpen();
    return this.parts.binding.credits(true);
  }

  get receiveCredits(): number {
    this.#resource.mustBeOpen();
    return this.parts.binding.credits(false);
  }

  async modify(attributes: QueuePairAttributes): Promise<void> {
    this.#resource.mustBeOpen();
    // Refused before it waits for its turn.
    encodeAttributes(attributes);
    await this.#resource.change(() => this.#modify(attributes));
  }

  async query(): Promise<QueuePairStatus> {
    this.#resource.mustBeOpen();
    const { fields, dgid } = await awaiting("VERBENA_NATIVE_QUERY", { what: this.#resource.what }, () =>
      this.#resource.change(() => this.parts.binding.query(queryMask)),
    );
    return decodeStatus(fields, dgid);
  }

  toInit(attributes: Parameters<QueuePair["toInit"]>[0] = {}): Promise<void> {
    const { port = 1, pkeyIndex = 0, qkey = 0, access = [] } = attributes;
    return this.modify({ state: "init", port, pkeyIndex, ...(this.type === "ud" ? { qkey } : { access }) });
  }

  async toRtr(attributes: Parameters<QueuePair["toRtr"]>[0] = {}): Promise<void> {
    if (this.type === "ud") return this.modify({ state: "rtr" });
    const { destQpn, address, pathMtu, rqPsn = 0, maxDestRdAtomic = 1, minRnrTimer = 12 } = attributes;
    if (destQpn === undefined || address === undefined) throw optionError("toRtr needs destQpn and address");
    this.#resource.mustBeOpen();
    const responder = this.type === "rc" ? { maxDestRdAtomic, minRnrTimer } : {};
    // The port is known once the change to INIT has been made.
    await this.#resource.change(() => {
      const mtu = pathMtu ?? this.parts.activeMtu(this.#port);
      return this.#modify({ state: "rtr", destQpn, address, pathMtu: mtu, rqPsn, ...responder });
    });
  }

  toRts(attributes: Parameters<QueuePair["toRts"]>[0] = {}): Promise<void> {
    const { sqPsn = 0, timeout = 14, retryCnt = 7, rnrRetry = 7, maxRdAtomic = 1 } = attributes;
    const requester = this.type === "rc" ? { timeout, retryCnt, rnrRetry, maxRdAtomic } : {};
    return this.modify({ state: "rts", sqPsn, ...requester });
  }

  toError(): Promise<void> {
    return this.modify({ state: "error" });
  }

  toReset(): Promise<void> {
    return this.modify({ state: "reset" });
  }

  postSend(requests: readonly SendRequest[]): void {
    this.#resource.mustBeOpen();
    this.#needAddresses(requests);
    this.#sends.postSends(requests);
  }

  postReceive(requests: readonly ReceiveRequest[]): void {
    this.#mayReceive();
    this.#receives.postReceives(requests);
  }

  prepareSend(requests: readonly SendRequest[]): PreparedWork {
    this.#resource.mustBeOpen();
    this.#needAddresses(requests);
    return this.#keep((onClose) =>
      this.#sends.prepareSends(requests, (...list) => this.parts.binding.prepare(...list, true), onClose),
    );
  }

  prepareReceive(requests: readonly ReceiveRequest[]): PreparedWork {
    this.#mayReceive();
    return this.#keep((onClose) =>
      this.#receives.prepareReceives(requests, (...list) => this.parts.binding.prepare(...list, false), onClose),
    );
  }

  send(request: SendRequest, options: { readonly signal?: AbortSignal } = {}): Promise<Completion> {
    try {
      this.#resource.mustBeOpen();
      this.sendCq.mustBeOwn("send()");
      this.#needAddresses([request]);
      if (request.signaled === false) throw optionError("send() waits for a completion: signaled cannot be false");
    } catch (error) {
      return Promise.reject(asError(error));
    }
    return this.#waiting.send(request, (token) => this.#sends.postSends([request], token), options.signal);
  }

  messages(options: MessageOptions): AsyncIterableIterator<Message> {
    this.#mayReceive();
    this.recvCq.mustBeOwn("messages()");
    if (this.#hasRing) throw nativeError("VERBENA_NATIVE_BUSY", { details: { what: this.#resource.what } });
    const { size, count = Math.min(RING_COUNT, this.receiveCredits), region } = options;
    needInteger("count", count, 1, this.caps.maxRecvWr);
    needInteger("size", size, 1, 2 ** 30);
    const headerSize = this.type === "ud" ? GRH_SIZE : 0;
    const need = count * (size + headerSize);
    if (region !== undefined && region.length < need) throw optionError(`the region must have ${need} bytes at least`);
    const open = (memory: MemoryRegion): MessageRing => this.#openRing(memory, count, size + headerSize, headerSize);
    const ring = region === undefined ? this.#allocateRing(need, open) : Promise.resolve(open(region));
    this.#hasRing = true;
    // Whoever pulls hears of it.
    ring.catch(() => {
      this.#hasRing = false;
    });
    return {
      next: async () => (await ring).next(),
      return: async () => (await ring).return(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  attachMulticast(group: Gid, mlid: number): Promise<void> {
    return this.#multicast("join", (gid) => this.parts.binding.attachMulticast(gid, mlid), group, mlid);
  }

  detachMulticast(group: Gid, mlid: number): Promise<void> {
    return this.#multicast("leave", (gid) => this.parts.binding.detachMulticast(gid, mlid), group, mlid);
  }

  close(): Promise<void> {
    return this.#resource.close(async () => {
      for (const prepared of this.#prepared) prepared.close();
      this.#ring?.beginEnd();
      await this.#flush();
      await this.parts.binding.close();
      this.#waiting.giveUp(nativeError("VERBENA_NATIVE_CLOSED", { details: { what: this.#resource.what } }));
      await this.#endRing();
      this.parts.onClose(this);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #modify(attributes: QueuePairAttributes): Promise<void> {
    const { mask, fields, dgid } = encodeAttributes(attributes);
    const what = `${this.#resource.what}${attributes.state === undefined ? "" : ` to state ${attributes.state}`}`;
    await awaiting("VERBENA_NATIVE_MODIFY", { what }, () => this.parts.binding.modify(mask, fields, dgid));
    if (attributes.port !== undefined) this.#port = attributes.port;
    if (attributes.state === "reset") {
      this.#waiting.giveUp(
        nativeError("VERBENA_NATIVE_CLOSED", { details: { what: `${this.#resource.what} (reset)` } }),
      );
      await this.#endRing();
    }
  }

  /** Ends what is under way and takes the completions that tell so, as far as they come at once. */
  async #flush(): Promise<void> {
    const { mask, fields, dgid } = encodeAttributes({ state: "error" });
    try {
      await this.parts.binding.modify(mask, fields, dgid);
    } catch {
      // A device that is gone cannot; the promises are settled all the same.
    }
    for (const { delivery } of new Set([this.sendCq, this.recvCq])) {
      try {
        delivery.flush();
      } catch {
        // As above: whoever reads the queue hears of it.
      }
    }
  }

  /** A ring on memory of its own, which goes with it. */
  async #allocateRing(need: number, open: (memory: MemoryRegion) => MessageRing): Promise<MessageRing> {
    const memory = await this.parts.allocate(need);
    try {
      const ring = open(memory);
      this.#ringMemory = memory;
      return ring;
    } catch (error) {
      await memory.close();
      throw error;
    }
  }

  #openRing(region: MemoryRegion, count: number, slotSize: number, headerSize: number): MessageRing {
    this.#resource.mustBeOpen();
    this.#ring = new MessageRing({
      what: this.#resource.what,
      region,
      count,
      slotSize,
      headerSize,
      tokens: this.parts.tokens,
      delivery: this.recvCq.delivery,
      post: (requests, token) => this.#receives.postReceives(requests, token),
    });
    return this.#ring;
  }

  /** Its messages stay readable. */
  async #endRing(): Promise<void> {
    const memory = this.#ringMemory;
    this.#ring?.end();
    this.#ring = undefined;
    this.#ringMemory = undefined;
    this.#hasRing = false;
    await memory?.close();
  }

  #keep(prepare: (onClose: (gone: PreparedWork) => void) => PreparedWork): PreparedWork {
    const prepared = prepare((gone) => this.#prepared.delete(gone));
    this.#prepared.add(prepared);
    return prepared;
  }

  #mayReceive(): void {
    this.#resource.mustBeOpen();
    if (this.srq !== undefined) throw optionError("receives of this queue pair are posted to its shared receive queue");
  }

  #needAddresses(requests: readonly SendRequest[]): void {
    if (this.type !== "ud") return;
    for (const request of requests) {
      if ((request.opcode === undefined || request.opcode === "send") && request.to !== undefined) continue;
      throw optionError("a datagram queue pair sends messages with `to` only");
    }
  }

  async #multicast(verb: string, call: (gid: Buffer) => Promise<void>, group: Gid, mlid: number): Promise<void> {
    this.#resource.mustBeOpen();
    needInteger("mlid", mlid, 0, 0xffff);
    const gid = Buffer.alloc(Gid.SIZE);
    Gid.write(gid, 0, group);
    const what = `${this.#resource.what}: ${verb} group ${Gid.format(group)}`;
    await awaiting("VERBENA_NATIVE_MODIFY", { what }, () => this.#resource.change(() => call(gid)));
  }
}
