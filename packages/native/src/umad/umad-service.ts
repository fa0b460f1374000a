import type { UmadPort, UmadPortInfo, UmadService } from "../api/umad.js";
import type { UmadLibraryBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { errnoName, failure } from "../failure.js";
import { toUmadPortInfo } from "./port-info.js";
import { OpenUmadPort } from "./umad-port.js";

/** `UmadService` over a library that is loaded at first use. */
export class NativeUmadService implements UmadService {
  readonly #ports = new Set<OpenUmadPort>();
  #isClosed = false;

  constructor(private readonly library: () => UmadLibraryBinding) {}

  listPorts(): readonly UmadPortInfo[] {
    return this.#open().listPorts().map(toUmadPortInfo);
  }

  queryPort(device: string, port: number): UmadPortInfo | undefined {
    const raw = this.#open().queryPort(device, port);
    return raw === undefined ? undefined : toUmadPortInfo(raw);
  }

  openPort(device: string, port: number): UmadPort {
    const library = this.#open();
    try {
      const opened = new OpenUmadPort(library.openPort(device, port), device, port, (gone) => this.#ports.delete(gone));
      this.#ports.add(opened);
      return opened;
    } catch (cause) {
      const errno = errnoName(cause) ?? "";
      // libibumad says EINVAL of a device or port that it does not find.
      const isUnknown = errno === "EINVAL" && library.queryPort(device, port) === undefined;
      if (isUnknown || ["ENODEV", "ENOENT", "ENXIO"].includes(errno)) {
        throw failure("VERBENA_NATIVE_NO_DEVICE", { device: `${device} port ${port}` }, cause);
      }
      throw failure("VERBENA_NATIVE_OPEN", { what: `umad port ${device}/${port}` }, cause);
    }
  }

  setDebugLevel(level: number): void {
    this.#open().setDebugLevel(level);
  }

  /** Closes every port that is open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#ports].map((port) => port.close()));
  }

  #open(): UmadLibraryBinding {
    if (this.#isClosed) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: "the umad service" } });
    return this.library();
  }
}
