import type { Lid } from "@verbena/ib";
import type {
  AddressSource,
  Availability,
  DeviceEvent,
  KernelRdsService,
  NativeServices,
  ProcessService,
  RdmaNetlink,
  RdmaNetlinkOptions,
  TcpService,
} from "@verbena/native";
import type { Clock } from "../sdk/services.js";
import { FakeAddresses } from "./fake-addresses.js";
import { type FakeDevice, type FakeDeviceSpec, type FakePort, fakePort } from "./fake-device.js";
import { FakeKernel } from "./fake-kernel.js";
import { FakeSa } from "./fake-sa.js";
import { FakeUmad } from "./fake-umad.js";
import { FakeVerbs } from "./fake-verbs.js";

/** The hardware of a fake host. */
export interface FakeNativeOptions {
  readonly clock: Clock;
  readonly devices: readonly FakeDeviceSpec[];
  /** False: libibverbs lists nothing, as under ibsim. Default true. */
  readonly verbs?: boolean;
}

function noTcp(): never {
  throw Object.assign(new Error("EADDRNOTAVAIL: a fake host has no TCP"), { code: "VERBENA_NATIVE_TCP", errno: 99 });
}

/** A host with InfiniBand hardware that exists only in a test: verbs, umad, addresses and a scriptable SA behind the native interface. */
export class FakeNative implements NativeServices {
  readonly hardware = new Map<string, FakeDevice>();
  readonly sa = new FakeSa();
  readonly addresses = new FakeAddresses();
  readonly kernel = new FakeKernel();
  readonly umad: FakeUmad;
  readonly verbs: FakeVerbs;
  readonly process: ProcessService = {
    peerCredentials: () => undefined,
    passedDescriptors: () => [],
    notify: () => false,
    tryLockFile: () => ({ write: () => undefined, release: () => undefined }),
  };
  /** None of the host's addresses is one of TCP. */
  readonly tcp: TcpService = { listen: noTcp, connect: noTcp };

  /** A kernel without the module. */
  readonly kernelRds: KernelRdsService = {
    open: () => {
      throw new Error("a fake host has no RDS in its kernel");
    },
  };

  constructor(options: FakeNativeOptions) {
    for (const device of options.devices) this.plug(device);
    this.umad = new FakeUmad(options.clock, this.hardware, this.sa);
    this.verbs = new FakeVerbs(this.hardware, options.verbs ?? true);
  }

  /** Everything is there. */
  availability(): Availability {
    const present = { available: true, path: "fake" } as const;
    return { addon: present, verbs: present, umad: present };
  }

  openAddressSource(): AddressSource {
    return this.addresses.openSource();
  }

  openRdmaNetlink(options?: RdmaNetlinkOptions): RdmaNetlink {
    return this.kernel.open(options);
  }

  /** Adds a device; nobody is told (verbs has no such event). */
  plug(spec: FakeDeviceSpec): void {
    const ports = new Map(spec.ports.map((port) => [port.port, fakePort(port)]));
    this.hardware.set(spec.name, { name: spec.name, nodeGuid: spec.nodeGuid, ports });
  }

  /** Removes a device and says so to who has it open. */
  unplug(device: string): void {
    this.hardware.delete(device);
    this.verbs.contexts.get(device)?.emit({ type: "device-fatal" });
  }

  /** Changes the hardware's state without an event. */
  set(device: string, port: number, change: Partial<FakePort>): void {
    const ports = this.hardware.get(device)?.ports;
    const before = ports?.get(port);
    if (ports === undefined || before === undefined) throw new Error(`fake host has no port ${device}/${port}`);
    ports.set(port, { ...before, ...change });
  }

  /** Delivers an asynchronous event to who has the device open. */
  emit(device: string, event: DeviceEvent): void {
    this.verbs.contexts.get(device)?.emit(event);
  }

  /** The port goes down, with its event. */
  linkDown(device: string, port: number): void {
    this.set(device, port, { state: "down" });
    this.emit(device, { type: "port-err", port });
  }

  /** The port becomes active, with its event. */
  linkUp(device: string, port: number): void {
    this.set(device, port, { state: "active" });
    this.emit(device, { type: "port-active", port });
  }

  /** The SM gives the port another LID, with its event. */
  changeLid(device: string, port: number, lid: Lid): void {
    this.set(device, port, { lid });
    this.emit(device, { type: "lid-change", port });
  }

  /** Another SM takes over, with its event. */
  changeSm(device: string, port: number, smLid: Lid): void {
    this.set(device, port, { smLid });
    this.emit(device, { type: "sm-change", port });
  }

  /** Nothing to do. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
