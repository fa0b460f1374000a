import { FabricAddressSource } from "./addresses/fabric-source.js";
import { RtnetlinkAddressSource } from "./addresses/rtnetlink-source.js";
import type { AddressSource } from "./api/addresses.js";
import type { FrontEnd, FrontEndOptions } from "./api/front-end.js";
import type { ProcessService } from "./api/process.js";
import type { Native } from "./api/rdma.js";
import type { RdmaNetlink, RdmaNetlinkOptions } from "./api/rdma-netlink.js";
import type { Availability, NativeOptions } from "./api/services.js";
import type { NativeBinding } from "./binding.js";
import { nativeError } from "./errors.js";
import { calling } from "./failure.js";
import { NativeFrontEnd } from "./front/native-front-end.js";
import { Libraries } from "./libraries/libraries.js";
import { bindingPath, type Environment, loadBinding } from "./load-binding.js";
import { checkOptions } from "./options.js";
import { NativeProcessService } from "./process/process-service.js";
import { needInteger, optionError } from "./rdma/option-error.js";
import { RdmaNetlinkSocket } from "./rdma-netlink/rdma-netlink-socket.js";
import { OpenKernelRdsService } from "./rds/kernel-rds-service.js";
import { NativeTcpService } from "./tcp/tcp-service.js";
import { NativeUmadService } from "./umad/umad-service.js";
import { NativeVerbsService } from "./verbs/verbs-service.js";

/** Largest number in the C library's set of processors. */
const MAX_CPU = 1023;

/**
 * Opens the native services. Loads the addon, or takes the binding it is handed; libraries are loaded at first use, so this works on a
 * machine without RDMA. Throws `VERBENA_NATIVE_ADDON` or `VERBENA_NATIVE_OPTION`.
 */
export function openNative(options: NativeOptions = {}, binding?: NativeBinding): Native {
  checkOptions(options);
  const path = binding === undefined ? bindingPath() : "handed in";
  return new OpenNativeServices(binding ?? loadBinding(), path, options, process.env);
}

class OpenNativeServices implements Native {
  readonly umad: NativeUmadService;
  readonly verbs: NativeVerbsService;
  readonly process: ProcessService;
  readonly kernelRds: OpenKernelRdsService;
  readonly tcp: NativeTcpService;
  readonly #libraries: Libraries;
  readonly #sources = new Set<AddressSource | RdmaNetlink | FrontEnd>();
  #closing: Promise<void> | undefined;

  constructor(
    private readonly binding: NativeBinding,
    private readonly path: string,
    options: NativeOptions,
    env: Environment,
  ) {
    this.#libraries = new Libraries(binding, options, env);
    this.umad = new NativeUmadService(() => this.#libraries.umad());
    this.verbs = new NativeVerbsService(binding, () => this.#libraries.verbs());
    this.tcp = new NativeTcpService(binding);
    this.process = new NativeProcessService(binding, env);
    this.kernelRds = new OpenKernelRdsService(binding);
  }

  availability(): Availability {
    return { ...this.#libraries.availability(), addon: { available: true, path: this.path } };
  }

  setThreadAffinity(cpus: readonly number[]): void {
    if (cpus.length === 0) throw optionError("cpus must name a processor at least");
    for (const cpu of cpus) needInteger("cpu", cpu, 0, MAX_CPU);
    calling("VERBENA_NATIVE_SYSTEM", { what: `cannot run on processors ${cpus.join(", ")}` }, () =>
      this.binding.setThreadAffinity(cpus),
    );
  }

  threadAffinity(): readonly number[] {
    return calling("VERBENA_NATIVE_SYSTEM", { what: "cannot read the processors of this thread" }, () =>
      this.binding.threadAffinity(),
    );
  }

  openAddressSource(): AddressSource {
    this.#mustBeOpen();
    const onClose = (source: AddressSource): void => {
      this.#sources.delete(source);
    };
    const { fabric } = this.#libraries.plan;
    const source =
      fabric === undefined
        ? new RtnetlinkAddressSource({ openNetlink: (p, groups) => this.binding.openNetlink(p, groups), onClose })
        : new FabricAddressSource({ dir: fabric.dir, nodes: (fabric.nodes ?? "").split(",").filter(Boolean), onClose });
    this.#sources.add(source);
    return source;
  }

  openRdmaNetlink(options: RdmaNetlinkOptions = {}): RdmaNetlink {
    this.#mustBeOpen();
    const socket = new RdmaNetlinkSocket(this.binding, options, (closed) => {
      this.#sources.delete(closed);
    });
    this.#sources.add(socket);
    return socket;
  }

  openFrontEnd(options: FrontEndOptions): FrontEnd {
    this.#mustBeOpen();
    const front = new NativeFrontEnd(this.binding, options, (closed) => {
      this.#sources.delete(closed);
    });
    this.#sources.add(front);
    return front;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #mustBeOpen(): void {
    if (this.#closing !== undefined) {
      throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: "the native services" } });
    }
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#sources].map((source) => source.close()));
    this.kernelRds.close();
    this.tcp.close();
    await this.umad.close();
    await this.verbs.close();
  }
}
