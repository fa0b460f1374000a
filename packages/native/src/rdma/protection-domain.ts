import { isAnyArrayBuffer, isArrayBuffer } from "node:util/types";
import { markAsUntransferable } from "node:worker_threads";
import type { Mtu } from "@verbena/ib";
import type { AccessFlag, AllocateOptions, MemoryRegion, RegisterOptions } from "../api/memory.js";
import type {
  AddressAttributes,
  AddressHandle,
  QueuePair,
  QueuePairOptions,
  SharedReceiveQueue,
} from "../api/queue-pair.js";
import type { ProtectionDomain } from "../api/rdma.js";
import type { MemoryRegionBinding, ProtectionDomainBinding, QueuePairBinding } from "../binding.js";
import { awaiting, errnoName, failure } from "../failure.js";
import { OpenAddressHandle } from "./address-handle.js";
import { encodeAddress } from "./attribute-fields.js";
import { accessMask, QP_TYPE } from "./codes.js";
import { OpenCompletionQueue } from "./completion-queue.js";
import { making } from "./making.js";
import { OpenMemoryRegion } from "./memory-region.js";
import { needInteger, optionError } from "./option-error.js";
import { OpenQueuePair } from "./queue-pair.js";
import { type Child, Resource } from "./resource.js";
import { OpenSharedReceiveQueue } from "./shared-receive-queue.js";
import type { TokenTable } from "./token-table.js";

const DEFAULT_CAPS = { maxSendWr: 64, maxRecvWr: 64, maxSendSge: 1, maxRecvSge: 1, maxInline: 0 };
const MAX_REQUESTS = 2 ** 24;
const MAX_SEGMENTS = 1024;
const MAX_LENGTH = 2 ** 32;

/** Parts of an {@link OpenProtectionDomain}. */
export interface ProtectionDomainParts {
  readonly binding: ProtectionDomainBinding;
  /** Nothing is made once it closes, though it closes this only after others. */
  readonly context: Resource;
  readonly device: string;
  readonly tokens: TokenTable;
  readonly activeMtu: (port: number) => Mtu;
  readonly onClose: (domain: OpenProtectionDomain) => void;
}

/** A protection domain and what was made of it. */
export class OpenProtectionDomain implements ProtectionDomain, Child {
  readonly kind = "protection-domain";
  readonly #resource: Resource;

  constructor(private readonly parts: ProtectionDomainParts) {
    this.#resource = new Resource(`protection domain of ${parts.device}`);
  }

  allocate(length: number, options: AllocateOptions = {}): Promise<MemoryRegion> {
    const { access = ["local-write"], hugePages = false } = options;
    return this.#region(length, () => {
      needInteger("length", length, 1, MAX_LENGTH);
      return this.parts.binding.allocate(length, needAccess(access), hugePages);
    });
  }

  async register(buffer: ArrayBuffer | SharedArrayBuffer, options: RegisterOptions = {}): Promise<MemoryRegion> {
    const { access = ["local-write"], offset = 0 } = options;
    const size = needBuffer(buffer);
    needInteger("offset", offset, 0, size);
    const { length = size - offset } = options;
    return this.#region(length, () => {
      needInteger("length", length, 1, Math.max(size - offset, 1));
      if ("resizable" in buffer && buffer.resizable) throw optionError("a resizable buffer cannot be registered");
      if ("growable" in buffer && buffer.growable) throw optionError("a growable buffer cannot be registered");
      // Once handed to another thread, the memory would no longer be this one's to hold.
      if (isArrayBuffer(buffer)) markAsUntransferable(buffer);
      return this.parts.binding.register(new Uint8Array(buffer, offset, length), needAccess(access));
    });
  }

  async createQueuePair(options: QueuePairOptions): Promise<QueuePair> {
    this.#resource.mustBeOpen();
    const { type, signalsAll = false } = options;
    const typeCode = (QP_TYPE as Readonly<Record<string, number | undefined>>)[type];
    if (typeCode === undefined) throw optionError(`unknown type ${type}: rc, uc or ud`);
    const { context } = this.parts;
    const sendCq = needQueue(options.sendCq, context);
    const recvCq = options.recvCq === undefined ? sendCq : needQueue(options.recvCq, context);
    const srq = needSharedQueue(options.srq, context);
    const caps = capsOf(options, srq);
    const sends = {};
    const receives = srq ?? {};
    const receiveCount = srq?.maxWr ?? caps.maxRecvWr;
    const share = recvCq.ledger.has(receives) ? 0 : receiveCount;
    if (recvCq === sendCq) {
      sendCq.ledger.check(sendCq.resource.what, sendCq.depth, caps.maxSendWr + share);
    } else {
      sendCq.ledger.check(sendCq.resource.what, sendCq.depth, caps.maxSendWr);
      recvCq.ledger.check(recvCq.resource.what, recvCq.depth, share);
    }
    // Booked before the queue pair is there: others may be made meanwhile.
    sendCq.ledger.reserve(sends, caps.maxSendWr);
    if (srq === undefined) recvCq.ledger.reserve(receives, receiveCount);
    else srq.book(recvCq.ledger);
    const release = (): void => {
      sendCq.ledger.release(sends);
      // The share of a shared receive queue stays until that is closed: others may complete its receives here.
      if (srq === undefined) recvCq.ledger.release(receives);
    };
    const owners = [this.#resource, sendCq.resource, recvCq.resource, ...(srq === undefined ? [] : [srq.resource])];
    const counts = [caps.maxSendWr, caps.maxRecvWr, caps.maxSendSge, caps.maxRecvSge, caps.maxInline];
    const create = (): Promise<QueuePairBinding> =>
      this.parts.binding.createQueuePair(
        typeCode,
        sendCq.raw,
        recvCq.raw,
        srq?.raw,
        signalsAll,
        Uint32Array.from(counts),
      );
    try {
      return await making(
        [this.parts.context, ...owners],
        () => this.#creating("a queue pair", create),
        (binding) => {
          const pair = new OpenQueuePair({
            binding,
            type,
            caps,
            sendCq,
            recvCq,
            srq,
            tokens: this.parts.tokens,
            activeMtu: this.parts.activeMtu,
            allocate: (length) => this.allocate(length),
            onClose: (gone) => {
              release();
              for (const owner of owners) owner.remove(gone);
            },
          });
          for (const owner of owners) owner.add(pair);
          return pair;
        },
      );
    } catch (error) {
      release();
      srq?.unbook(recvCq.ledger);
      throw error;
    }
  }

  async createSharedReceiveQueue(options: {
    readonly maxWr: number;
    readonly maxSge?: number;
  }): Promise<SharedReceiveQueue> {
    this.#resource.mustBeOpen();
    const { maxWr, maxSge = 1 } = options;
    needInteger("maxWr", maxWr, 1, MAX_REQUESTS);
    needInteger("maxSge", maxSge, 1, MAX_SEGMENTS);
    return making(
      [this.parts.context, this.#resource],
      () => this.#creating("a shared receive queue", () => this.parts.binding.createSharedReceiveQueue(maxWr, maxSge)),
      (binding) => {
        const { context } = this.parts;
        const onClose = (gone: OpenSharedReceiveQueue): void => this.#resource.remove(gone);
        const queue = new OpenSharedReceiveQueue({ binding, context, maxWr, maxSge, onClose });
        this.#resource.add(queue);
        return queue;
      },
    );
  }

  async createAddressHandle(attributes: AddressAttributes): Promise<AddressHandle> {
    this.#resource.mustBeOpen();
    const { fields, dgid } = encodeAddress(attributes);
    return making(
      [this.parts.context, this.#resource],
      () => this.#creating("an address handle", () => this.parts.binding.createAddressHandle(fields, dgid)),
      (binding) => {
        const handle = new OpenAddressHandle(binding, (gone) => this.#resource.remove(gone));
        this.#resource.add(handle);
        return handle;
      },
    );
  }

  close(): Promise<void> {
    return this.#resource.close(async () => {
      await this.parts.binding.close();
      this.parts.onClose(this);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #region(length: number, make: () => Promise<MemoryRegionBinding>): Promise<MemoryRegion> {
    const register = async (): Promise<MemoryRegionBinding> => {
      try {
        return await make();
      } catch (cause) {
        if (errnoName(cause) === undefined || errnoName(cause)?.startsWith("VERBENA")) throw cause;
        throw failure("VERBENA_NATIVE_MEMORY", { length }, cause, memoryHint(cause));
      }
    };
    return making([this.parts.context, this.#resource], register, (binding) => {
      const region = new OpenMemoryRegion(binding, (gone) => this.#resource.remove(gone));
      this.#resource.add(region);
      return region;
    });
  }

  #creating<T>(what: string, call: () => Promise<T>): Promise<T> {
    return awaiting("VERBENA_NATIVE_CREATE", { what: `${what} on ${this.parts.device}` }, call);
  }
}

function memoryHint(cause: unknown): string | undefined {
  const error = cause as { readonly syscall?: string };
  if (error.syscall === "mmap") return "Huge pages must have been reserved: sysctl vm.nr_hugepages.";
  if (errnoName(cause) === "EFAULT") return "The memory is not there, or may not be written.";
  return errnoName(cause) === "ENOMEM" ? undefined : "Check the access flags: who may write from afar may write here.";
}

/** Bytes of a buffer that can be registered. A view of one is refused: what it is a view of would not be clear. */
function needBuffer(buffer: unknown): number {
  if (isAnyArrayBuffer(buffer)) return buffer.byteLength;
  throw optionError(
    "register() takes an ArrayBuffer or a SharedArrayBuffer; of a Buffer or view its `buffer`, with `offset` and `length`",
  );
}

function needAccess(flags: readonly AccessFlag[]): number {
  const mask = accessMask(flags);
  if (mask === undefined) throw optionError(`unknown access flag among ${flags.join(", ")}`);
  return mask;
}

function needQueue(queue: unknown, context: Resource): OpenCompletionQueue {
  if (!(queue instanceof OpenCompletionQueue)) throw optionError("sendCq and recvCq must be completion queues");
  queue.resource.mustBeOpen();
  if (!context.has(queue)) throw optionError("sendCq and recvCq must be completion queues of the same context");
  return queue;
}

function needSharedQueue(queue: unknown, context: Resource): OpenSharedReceiveQueue | undefined {
  if (queue === undefined) return undefined;
  if (!(queue instanceof OpenSharedReceiveQueue)) throw optionError("srq must be a shared receive queue");
  queue.resource.mustBeOpen();
  if (queue.context !== context) throw optionError("srq must be a shared receive queue of the same context");
  return queue;
}

function capsOf(options: QueuePairOptions, srq: OpenSharedReceiveQueue | undefined): typeof DEFAULT_CAPS {
  const caps = { ...DEFAULT_CAPS, ...(srq === undefined ? {} : { maxRecvWr: 0, maxRecvSge: 0 }) };
  for (const name of Object.keys(caps) as (keyof typeof caps)[]) {
    const value = options[name];
    if (value === undefined) continue;
    needInteger(name, value, 0, name.endsWith("Sge") ? MAX_SEGMENTS : MAX_REQUESTS);
    caps[name] = value;
  }
  return caps;
}
