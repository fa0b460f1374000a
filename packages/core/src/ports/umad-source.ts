import { Gid, Mtu, Rate } from "@verbena/ib";
import type { UmadPortInfo, UmadService } from "@verbena/native";
import type { LossBook } from "../losses/loss-book.js";
import type { Clock, Logger } from "../sdk/services.js";
import type { PortReading, PortSignal, PortSource, SourceDevice } from "./port-source.js";

/** libibumad reports no events, so ports are read again this often, and after every failure of the SA. */
export const UMAD_REREAD_MS = 5_000;
const UMAD = "libibumad";
/** libibumad does not tell the active MTU; this is what the SM of nearly every subnet sets. */
const ASSUMED_MTU = Mtu.fromBytes(2048) ?? Mtu.zero;
/** Nor the subnet time-out; OpenSM's default. */
const ASSUMED_SUBNET_TIMEOUT = 18;

/** Ports through libibumad, for places where verbs lists no device (ibsim). */
export class UmadPortSource implements PortSource {
  readonly kind = "umad";
  readonly #known = new Map<string, readonly number[]>();
  #onSignal: (signal: PortSignal) => void = () => undefined;
  #cancel: (() => void) | undefined;

  constructor(
    private readonly umad: UmadService,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly losses: LossBook,
    private readonly rereadMs = UMAD_REREAD_MS,
  ) {}

  start(onSignal: (signal: PortSignal) => void): readonly SourceDevice[] {
    this.#onSignal = onSignal;
    for (const [name, ports] of this.#list() ?? []) this.#known.set(name, ports);
    this.#arm();
    return this.devices();
  }

  devices(): readonly SourceDevice[] {
    return [...this.#known].map(([name, ports]) => ({ name, ports }));
  }

  read(device: string, port: number): PortReading | undefined {
    try {
      const info = this.umad.queryPort(device, port);
      return info === undefined ? undefined : readUmadPort(info);
    } catch (error) {
      this.logger.warn("port cannot be read", { device, port, error: String(error) });
      return undefined;
    }
  }

  rescan(): void {
    // While the library cannot say, nothing is taken for gone; each port tells for itself.
    const present = this.#list() ?? this.#known;
    for (const name of [...this.#known.keys()]) {
      if (present.has(name)) continue;
      this.#known.delete(name);
      this.#onSignal({ type: "device-removed", device: name });
    }
    for (const [name, ports] of present) {
      const isNew = !this.#known.has(name);
      this.#known.set(name, ports);
      if (isNew) this.#onSignal({ type: "device-added", device: name });
      else for (const port of ports) this.#onSignal({ type: "refresh", device: name, port });
    }
  }

  close(): Promise<void> {
    this.#cancel?.();
    this.#onSignal = () => undefined;
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #arm(): void {
    this.#cancel = this.clock.schedule(this.rereadMs, () => {
      this.rescan();
      this.#arm();
    });
  }

  /** A library that is missing or fails is asked again next time: the modules may be loaded later than we are. */
  #ports(): readonly UmadPortInfo[] | undefined {
    try {
      const ports = this.umad.listPorts();
      this.losses.regain(UMAD);
      return ports;
    } catch (error) {
      this.losses.lose(UMAD, "ports and their subnet administrators (libibumad)", error);
      return undefined;
    }
  }

  #list(): Map<string, number[]> | undefined {
    const ports = this.#ports();
    if (ports === undefined) return undefined;
    const devices = new Map<string, number[]>();
    for (const { device, port } of ports) {
      // Port 0 of a switch is managed by the SM, nobody resolves from there.
      if (port > 0) devices.set(device, [...(devices.get(device) ?? []), port]);
    }
    return devices;
  }
}

function readUmadPort(info: UmadPortInfo): PortReading {
  return {
    device: info.device,
    nodeGuid: info.nodeGuid,
    portCount: info.portCount,
    port: info.port,
    portGuid: info.portGuid,
    state: info.state,
    lid: info.lid,
    lmc: info.lmc,
    smLid: info.smLid,
    smSl: info.smSl,
    subnetTimeout: ASSUMED_SUBNET_TIMEOUT,
    activeMtu: ASSUMED_MTU,
    activeRate: Rate.fromGbps(info.rateGbps) ?? Rate.fromMinRateOption(info.rateGbps) ?? Rate.zero,
    gids: [Gid.of(info.gidPrefix, info.portGuid)],
    pkeys: info.pkeys,
    linkLayer: info.linkLayer.toLowerCase(),
  };
}
