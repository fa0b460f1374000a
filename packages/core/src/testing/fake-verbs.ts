import { type Gid, type PKey, VerbenaError } from "@verbena/ib";
import type {
  DeviceEvent,
  VerbsContext,
  VerbsDeviceAttributes,
  VerbsDeviceInfo,
  VerbsPortAttributes,
  VerbsService,
} from "@verbena/native";
import type { FakeDevice, FakePort } from "./fake-device.js";
import { PushQueue } from "./push-queue.js";

/** libibverbs of the fake host. `visible: false` makes it list nothing, as under ibsim. */
export class FakeVerbs implements VerbsService {
  readonly contexts = new Map<string, FakeVerbsContext>();

  constructor(
    private readonly hardware: ReadonlyMap<string, FakeDevice>,
    /** False: nothing is listed. A test may change it. */
    public visible: boolean,
  ) {}

  /** The fake hardware in the order it was plugged; nothing when not visible. */
  devices(): readonly VerbsDeviceInfo[] {
    if (!this.visible) return [];
    return [...this.hardware.values()].map((device) => ({
      name: device.name,
      nodeGuid: device.nodeGuid,
      nodeType: "ca",
      transport: "ib",
    }));
  }

  /** Throws VERBENA_NATIVE_NO_DEVICE for a name that is not listed. */
  open(name: string): VerbsContext {
    const info = this.devices().find((device) => device.name === name);
    if (info === undefined) throw new VerbenaError("VERBENA_NATIVE_NO_DEVICE", `no device ${name}`, { errno: 19 });
    const context = new FakeVerbsContext(info, this.hardware);
    this.contexts.set(name, context);
    return context;
  }
}

/** An open device: state is read from the fake hardware at each query, events come by {@link FakeVerbsContext.emit}. */
export class FakeVerbsContext implements VerbsContext {
  readonly #events = new PushQueue<DeviceEvent>();
  closed = false;

  constructor(
    readonly device: VerbsDeviceInfo,
    private readonly hardware: ReadonlyMap<string, FakeDevice>,
  ) {}

  /** Delivers an event to the reader of {@link FakeVerbsContext.events}. */
  emit(event: DeviceEvent): void {
    this.#events.push(event);
  }

  /** State of the fake hardware now. */
  queryDevice(): VerbsDeviceAttributes {
    const device = this.#device();
    return {
      nodeGuid: device.nodeGuid,
      sysImageGuid: device.nodeGuid,
      firmware: "1.0.0",
      vendorId: 0,
      vendorPartId: 0,
      portCount: device.ports.size,
      maxPkeys: 128,
    };
  }

  /** State of the fake hardware now. */
  queryPort(port: number): VerbsPortAttributes {
    const found = this.#port(port);
    return {
      port,
      state: found.state,
      physState: found.state === "active" ? 5 : 2,
      maxMtu: found.mtu,
      activeMtu: found.mtu,
      gidTableLength: found.gids.length,
      pkeyTableLength: found.pkeys.length,
      lid: found.lid,
      lmc: found.lmc,
      smLid: found.smLid,
      smSl: found.smSl,
      subnetTimeout: found.subnetTimeout,
      activeWidth: found.width,
      activeSpeed: found.speed,
      capabilityMask: 0,
      linkLayer: found.linkLayer,
    };
  }

  gids(port: number): readonly Gid[] {
    return this.#port(port).gids;
  }

  pkeys(port: number): readonly PKey[] {
    return this.#port(port).pkeys;
  }

  events(): AsyncIterableIterator<DeviceEvent> {
    return this.#events;
  }

  /** Ends the events. */
  close(): Promise<void> {
    this.closed = true;
    this.#events.end();
    return Promise.resolve();
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #device(): FakeDevice {
    const device = this.hardware.get(this.device.name);
    if (device === undefined) throw new VerbenaError("VERBENA_NATIVE_SYSCALL", "device is gone", { errno: 19 });
    return device;
  }

  #port(port: number): FakePort {
    const found = this.#device().ports.get(port);
    if (found === undefined) throw new VerbenaError("VERBENA_NATIVE_SYSCALL", `no port ${port}`, { errno: 22 });
    return found;
  }
}
