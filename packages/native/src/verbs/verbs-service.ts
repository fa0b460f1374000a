import { Guid } from "@verbena/ib";
import type { VerbsContext, VerbsDeviceInfo, VerbsService } from "../api/verbs.js";
import type { VerbsLibraryBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { errnoName, failure } from "../failure.js";
import { nodeTypeName, transportName } from "./names.js";
import { OpenVerbsContext } from "./verbs-context.js";

/** `VerbsService` over a library that is loaded at first use. */
export class NativeVerbsService implements VerbsService {
  readonly #contexts = new Set<OpenVerbsContext>();
  #isClosed = false;

  constructor(private readonly library: () => VerbsLibraryBinding) {}

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

  open(device: string): VerbsContext {
    const info = this.devices().find((candidate) => candidate.name === device);
    if (info === undefined) throw nativeError("VERBENA_NATIVE_NO_DEVICE", { details: { device } });
    try {
      const opened = new OpenVerbsContext(this.#open().openDevice(device), info, (gone) => this.#contexts.delete(gone));
      this.#contexts.add(opened);
      return opened;
    } catch (cause) {
      throw failure("VERBENA_NATIVE_OPEN", { what: `verbs device ${device}` }, cause);
    }
  }

  /** Closes every context that is open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#contexts].map((context) => context.close()));
  }

  #open(): VerbsLibraryBinding {
    if (this.#isClosed) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: "the verbs service" } });
    return this.library();
  }
}
