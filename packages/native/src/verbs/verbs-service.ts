import { performance } from "node:perf_hooks";
import { Guid } from "@verbena/ib";
import type { ChannelGroup, ChannelGroupOptions, ChannelToken, CompletionChannel } from "../api/completions.js";
import type { Context, RdmaService } from "../api/rdma.js";
import type { VerbsDeviceInfo } from "../api/verbs.js";
import type { NativeBinding, VerbsLibraryBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { calling, errnoName, failure } from "../failure.js";
import { OpenChannelGroup } from "../rdma/channel-group.js";
import { OpenCompletionChannel } from "../rdma/completion-channel.js";
import { OpenCompletionQueue } from "../rdma/completion-queue.js";
import { OpenContext } from "../rdma/context.js";
import { TokenTable } from "../rdma/token-table.js";
import { type ClockUs, TurnBudget } from "../rdma/turn-budget.js";
import { nodeTypeName, transportName } from "./names.js";
import type { OpenVerbsContext } from "./verbs-context.js";

const GROUP_BUDGET = { items: 4096, microseconds: 2000 };

/** `RdmaService` over a library that is loaded at first use. */
export class NativeVerbsService implements RdmaService {
  readonly #contexts = new Set<OpenVerbsContext>();
  /** Channels of other threads, and groups. */
  readonly #others = new Set<{ close(): Promise<void> }>();
  #isClosed = false;

  constructor(
    private readonly binding: NativeBinding,
    private readonly library: () => VerbsLibraryBinding,
    private readonly clock: ClockUs = () => performance.now() * 1000,
  ) {}

  devices(): readonly VerbsDeviceInfo[] {
    const library = this.#open();
    try {
      return library.devices().map((raw) => ({
        name: raw.name,
        nodeGuid: Guid.from(raw.nodeGuid),
        nodeType: nodeTypeName(raw.nodeType),
        transport: transportName(raw.transport),
      }));
    } catch (cause) {
      // A kernel without RDMA has no devices; availability() tells why.
      if (errnoName(cause) === "ENOSYS") return [];
      throw failure("VERBENA_NATIVE_QUERY", { what: "the list of verbs devices" }, cause);
    }
  }

  open(device: string): Context {
    const info = this.devices().find((candidate) => candidate.name === device);
    if (info === undefined) throw nativeError("VERBENA_NATIVE_NO_DEVICE", { details: { device } });
    try {
      const opened = new OpenContext(this.#open().openDevice(device), info, this.clock, (gone) => {
        this.#contexts.delete(gone);
      });
      this.#contexts.add(opened);
      return opened;
    } catch (cause) {
      throw failure("VERBENA_NATIVE_OPEN", { what: `verbs device ${device}` }, cause);
    }
  }

  adoptChannel(token: ChannelToken): CompletionChannel {
    this.#open();
    const { verbenaChannel, name } = token;
    const binding = calling("VERBENA_NATIVE_CHANNEL", { what: `completion channel ${name}` }, () =>
      this.binding.adoptChannel(verbenaChannel),
    );
    if (binding === undefined) {
      throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: `completion channel ${name}` } });
    }
    const tokens = new TokenTable();
    const channel = new OpenCompletionChannel({
      binding,
      name,
      adopt: (raw, on) =>
        new OpenCompletionQueue(
          { binding: raw, channel: on, vector: 0, tokens, clock: this.clock, onClose: () => undefined },
          {},
        ),
      onClose: (gone) => this.#others.delete(gone),
    });
    this.#others.add(channel);
    return channel;
  }

  openChannelGroup(options: ChannelGroupOptions = {}): ChannelGroup {
    this.#open();
    const binding = calling("VERBENA_NATIVE_CREATE", { what: "a channel group" }, () =>
      this.binding.openChannelGroup(),
    );
    const budget = new TurnBudget(GROUP_BUDGET, this.clock);
    const group = new OpenChannelGroup(binding, options, budget, (gone) => this.#others.delete(gone));
    this.#others.add(group);
    return group;
  }

  /** Closes every context that is open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#others].map((other) => other.close()));
    await Promise.all([...this.#contexts].map((context) => context.close()));
  }

  #open(): VerbsLibraryBinding {
    if (this.#isClosed) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: "the verbs service" } });
    return this.library();
  }
}
