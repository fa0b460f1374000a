import { Gid } from "@verbena/ib";
import type { CompletionChannel, CompletionQueue, CompletionQueueOptions } from "../api/completions.js";
import type { Context, DeviceLimits, ProtectionDomain } from "../api/rdma.js";
import type { VerbsDeviceInfo } from "../api/verbs.js";
import type { VerbsContextBinding } from "../binding.js";
import { calling, errnoName, failure } from "../failure.js";
import { OpenVerbsContext } from "../verbs/verbs-context.js";
import { atomicsName } from "./codes.js";
import { OpenCompletionChannel } from "./completion-channel.js";
import { OpenCompletionQueue, watchingOf } from "./completion-queue.js";
import { CompletionVectors } from "./completion-vectors.js";
import { making } from "./making.js";
import { needInteger, optionError } from "./option-error.js";
import { OpenProtectionDomain } from "./protection-domain.js";
import { Resource } from "./resource.js";
import { TokenTable } from "./token-table.js";
import type { ClockUs } from "./turn-budget.js";

const MAX_DEPTH = 2 ** 31 - 1;

/** What the errnos of `ibv_create_comp_channel` mean. */
const CHANNEL_HINTS: Readonly<Record<string, string>> = {
  EMFILE: "The process has too many open files: each channel takes a descriptor. Raise 'ulimit -n'.",
  ENFILE: "The system has too many open files; raise fs.file-max.",
  ENOMEM:
    "The system has no resources for another channel: use one channel for several completion queues, or free some.",
};

/** An open device with everything that can be made of it. */
export class OpenContext extends OpenVerbsContext implements Context {
  readonly #resource: Resource;
  readonly #tokens = new TokenTable();
  readonly #vectors = new CompletionVectors();
  #channels = 0;

  constructor(
    private readonly raw: VerbsContextBinding,
    device: VerbsDeviceInfo,
    private readonly clock: ClockUs,
    onClose: (context: OpenVerbsContext) => void,
  ) {
    super(raw, device, onClose);
    this.#resource = new Resource(`verbs device ${device.name}`);
  }

  limits(): DeviceLimits {
    this.#resource.mustBeOpen();
    const { atomicCap, ...limits } = calling("VERBENA_NATIVE_QUERY", { what: this.#resource.what }, () =>
      this.raw.limits(),
    );
    return { ...limits, atomics: atomicsName(atomicCap) };
  }

  queryGid(port: number, index: number): Gid {
    this.#resource.mustBeOpen();
    const what = `${this.#resource.what} port ${port}`;
    const table = calling("VERBENA_NATIVE_QUERY", { what }, () => this.raw.gids(port));
    needInteger("index", index, 0, table.length / Gid.SIZE - 1);
    return Gid.read(table, index * Gid.SIZE);
  }

  createProtectionDomain(): Promise<ProtectionDomain> {
    return making(
      [this.#resource],
      () => this.#creating("a protection domain", () => this.raw.createProtectionDomain()),
      (binding) => {
        const domain = new OpenProtectionDomain({
          binding,
          context: this.#resource,
          device: this.device.name,
          tokens: this.#tokens,
          activeMtu: (port) => this.queryPort(port).activeMtu,
          onClose: (gone) => this.#resource.remove(gone),
        });
        this.#resource.add(domain);
        return domain;
      },
    );
  }

  createCompletionChannel(): Promise<CompletionChannel> {
    return making(
      [this.#resource],
      () => this.#creating("a completion channel", () => this.raw.createCompletionChannel(), CHANNEL_HINTS),
      (binding) => {
        const channel = new OpenCompletionChannel({
          binding,
          name: `${this.device.name}/${++this.#channels}`,
          onClose: (gone) => this.#resource.remove(gone),
        });
        this.#resource.add(channel);
        return channel;
      },
    );
  }

  async createCompletionQueue(options: CompletionQueueOptions): Promise<CompletionQueue> {
    this.#resource.mustBeOpen();
    needInteger("depth", options.depth, 1, MAX_DEPTH);
    if (options.batchSize !== undefined) needInteger("batchSize", options.batchSize, 1, 0xffff);
    // Before the queue is there to be closed.
    watchingOf(options.mode, options.channel !== undefined);
    const channel = this.#ownChannel(options.channel);
    const { numCompVectors } = this.limits();
    const { vector, leave: leaveVector } = this.#vectors.take(options.vector ?? "auto", numCompVectors);
    const owners = channel === undefined ? [this.#resource] : [this.#resource, channel.resource];
    try {
      return await making(
        owners,
        () =>
          this.#creating("a completion queue", () =>
            this.raw.createCompletionQueue(options.depth, channel?.raw, vector),
          ),
        (binding) => {
          const onClose = (gone: OpenCompletionQueue): void => {
            this.#resource.remove(gone);
            leaveVector();
          };
          const parts = { binding, channel, vector, tokens: this.#tokens, clock: this.clock, onClose };
          const queue = new OpenCompletionQueue(parts, options);
          this.#resource.add(queue);
          channel?.adopt(queue);
          return queue;
        },
      );
    } catch (error) {
      leaveVector();
      throw error;
    }
  }

  override close(): Promise<void> {
    return this.#resource.close(() => super.close());
  }

  #ownChannel(channel: CompletionChannel | undefined): OpenCompletionChannel | undefined {
    if (channel === undefined) return undefined;
    if (!(channel instanceof OpenCompletionChannel)) throw optionError("channel must be a completion channel");
    channel.resource.mustBeOpen();
    if (!this.#resource.has(channel)) throw optionError("channel must be a completion channel of this context");
    return channel;
  }

  async #creating<T>(what: string, call: () => Promise<T>, hints: Readonly<Record<string, string>> = {}): Promise<T> {
    try {
      return await call();
    } catch (cause) {
      const details = { what: `${what} on ${this.device.name}` };
      throw failure("VERBENA_NATIVE_CREATE", details, cause, hints[errnoName(cause) ?? ""]);
    }
  }
}
