import type { DeviceEvent, VerbsContext, VerbsDeviceInfo, VerbsService } from "@verbena/native";
import type { LossBook } from "../losses/loss-book.js";
import type { Clock, Logger } from "../sdk/services.js";
import { isInfiniBand } from "./port-sight.js";
import type { PortReading, PortSignal, PortSource, SourceDevice } from "./port-source.js";
import { readVerbsPort } from "./verbs-port.js";

interface OpenDevice {
  readonly context: VerbsContext;
  readonly ports: readonly number[];
  readonly watching: Promise<void>;
  closed: boolean;
}

/** libibverbs reports what happens to a device, but none that comes or comes back (a driver that resets it), so the list is read this often. */
const RELIST_MS = 5_000;

/** Ports through libibverbs: state by query, changes by asynchronous events. Devices without an InfiniBand port are left alone. */
export class VerbsPortSource implements PortSource {
  readonly kind = "verbs";
  readonly #open = new Map<string, OpenDevice>();
  /** Devices without an InfiniBand port: nobody needs to look at them again until they are gone. */
  readonly #others = new Set<string>();
  /** Devices that could not be opened. */
  readonly #refused = new Set<string>();
  #onSignal: (signal: PortSignal) => void = () => undefined;
  #cancel: (() => void) | undefined;
  #hasFailed = false;

  constructor(
    private readonly verbs: VerbsService,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly losses: LossBook,
  ) {}

  start(onSignal: (signal: PortSignal) => void): readonly SourceDevice[] {
    this.#onSignal = onSignal;
    for (const info of this.#present()?.values() ?? []) this.#openDevice(info);
    this.#arm();
    return this.devices();
  }

  devices(): readonly SourceDevice[] {
    return [...this.#open].map(([name, device]) => ({ name, ports: device.ports, verbs: device.context }));
  }

  read(name: string, port: number): PortReading | undefined {
    const device = this.#open.get(name);
    if (!device?.ports.includes(port)) return undefined;
    try {
      return readVerbsPort(device.context, port, device.ports.length);
    } catch (error) {
      this.logger.warn("port cannot be read", { device: name, port, error: String(error) });
      return undefined;
    }
  }

  rescan(): void {
    this.#others.clear();
    this.#relist();
    for (const device of this.devices()) {
      for (const port of device.ports) this.#onSignal({ type: "refresh", device: device.name, port });
    }
  }

  /** Opens devices that have come, closes those that have gone. */
  #relist(): void {
    const present = this.#present();
    if (present === undefined) return;
    for (const name of this.#refused) if (!present.has(name)) this.#forgive(name);
    for (const name of this.#others) if (!present.delete(name)) this.#others.delete(name);
    for (const name of [...this.#open.keys()]) {
      if (!present.has(name)) this.#lose(name);
      else present.delete(name);
    }
    for (const info of present.values()) {
      if (!this.#openDevice(info)) continue;
      this.logger.warn("device found", { device: info.name });
      this.#onSignal({ type: "device-added", device: info.name });
    }
  }

  #arm(): void {
    this.#cancel = this.clock.schedule(RELIST_MS, () => {
      this.#relist();
      this.#arm();
    });
  }

  async close(): Promise<void> {
    this.#cancel?.();
    this.#onSignal = () => undefined;
    const devices = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(devices.map((device) => closeDevice(device)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** `undefined` when the library cannot say; then nothing is taken for gone. */
  #present(): Map<string, VerbsDeviceInfo> | undefined {
    try {
      const present = new Map(this.verbs.devices().map((info) => [info.name, info]));
      this.#hasFailed = false;
      return present;
    } catch (error) {
      if (!this.#hasFailed) this.logger.warn("libibverbs lists no devices", { error: String(error) });
      this.#hasFailed = true;
      return undefined;
    }
  }

  #openDevice(info: VerbsDeviceInfo): boolean {
    let context: VerbsContext | undefined;
    try {
      context = this.verbs.open(info.name);
      const count = context.queryDevice().portCount;
      const ports = Array.from({ length: count }, (_, index) => index + 1);
      const opened = context;
      if (!ports.some((port) => isInfiniBand(opened.queryPort(port).linkLayer))) {
        this.logger.info("device has no InfiniBand port: left alone", { device: info.name });
        this.#others.add(info.name);
        void context.close();
        return false;
      }
      this.#forgive(info.name);
      this.#open.set(info.name, { context, ports, watching: this.#watch(info.name, context), closed: false });
      return true;
    } catch (error) {
      this.losses.lose(`device ${info.name}`, `device ${info.name}, with all its ports`, error);
      this.#refused.add(info.name);
      void context?.close();
      return false;
    }
  }

  #forgive(name: string): void {
    if (this.#refused.delete(name)) this.losses.regain(`device ${name}`);
  }

  async #watch(name: string, context: VerbsContext): Promise<void> {
    try {
      for await (const event of context.events()) this.#take(name, event);
    } catch (error) {
      this.logger.error("device events ended", { device: name, error: String(error) });
    }
    this.#lose(name, context);
  }

  #take(device: string, event: DeviceEvent): void {
    switch (event.type) {
      case "device-fatal":
        this.#lose(device);
        return;
      case "unknown":
        for (const port of this.#open.get(device)?.ports ?? []) {
          this.#onSignal({ type: "unknown", device, port, raw: event.event });
        }
        return;
      default:
        // Queue pairs and queues are the business of whoever has made them.
        if ("port" in event) this.#onSignal({ type: event.type, device, port: event.port });
    }
  }

  /** The device is gone or useless: its ports go with it. A rescan opens it again if it comes back. */
  #lose(name: string, only?: VerbsContext): void {
    const device = this.#open.get(name);
    if (device === undefined || (only !== undefined && device.context !== only)) return;
    this.#open.delete(name);
    this.logger.warn("device lost", { device: name });
    this.#onSignal({ type: "device-removed", device: name });
    void closeDevice(device);
  }
}

async function closeDevice(device: OpenDevice): Promise<void> {
  if (device.closed) return;
  device.closed = true;
  await device.context.close();
  await device.watching;
}
