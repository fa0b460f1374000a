import type { Port } from "../sdk/endpoint.js";
import type { Logger } from "../sdk/services.js";
import { type PortPhase, stepPort } from "./port-machine.js";
import { sightOf } from "./port-sight.js";
import type { PortReading, PortSignal, PortSignalType, PortSource, SourceDevice } from "./port-source.js";

/** What a port change means for who works on the port. A reopened port is closed, then opened. */
export type PortChange =
  | { readonly type: "opened"; readonly port: Port }
  | { readonly type: "closed"; readonly port: Port }
  | { readonly type: "changed"; readonly port: Port; readonly signal: PortSignalType; readonly raw?: unknown };

interface Entry {
  phase: PortPhase;
  /** The snapshot in use; of a port that is down, the last one. */
  port: Port | undefined;
}

/**
 * The ports of this host. Reads a port whenever a hint comes, lets the state machine decide, numbers every new snapshot. Generations
 * grow over the whole table, so no two snapshots share one.
 */
export class PortTable {
  readonly #devices = new Map<string, Map<number, Entry>>();
  #generation = 0;

  constructor(
    private readonly source: PortSource,
    private readonly onChange: (change: PortChange) => void,
    private readonly logger: Logger,
  ) {}

  /** Lists the ports and reports those that are active. */
  start(): void {
    const devices = this.source.start((signal) => {
      this.#take(signal);
    });
    for (const device of devices) this.#add(device);
  }

  /** Active ports in ibacm's order: devices last opened first, ports ascending. */
  active(): readonly Port[] {
    return [...this.#devices.values()]
      .reverse()
      .flatMap((ports) => [...ports.values()].flatMap(({ phase, port }) => (phase === "active" && port ? [port] : [])));
  }

  /** The port as it is now, if it is active. */
  get(device: string, port: number): Port | undefined {
    const entry = this.#devices.get(device)?.get(port);
    return entry?.phase === "active" ? entry.port : undefined;
  }

  /** Reads one port again: something done through it has failed. */
  refresh(device: string, port: number): void {
    this.#take({ type: "refresh", device, port });
  }

  /** Looks for devices that came or went and reads every port again. */
  rescan(): void {
    this.source.rescan();
  }

  async close(): Promise<void> {
    await this.source.close();
    for (const device of [...this.#devices.keys()]) this.#remove(device);
  }

  #take(signal: PortSignal): void {
    switch (signal.type) {
      case "device-added": {
        const device = this.source.devices().find((candidate) => candidate.name === signal.device);
        if (device !== undefined) this.#add(device);
        return;
      }
      case "device-removed":
        this.#remove(signal.device);
        return;
      case "unknown":
        this.#step(signal.device, signal.port, signal.type, signal.raw);
        return;
      default:
        this.#step(signal.device, signal.port, signal.type);
    }
  }

  #add(device: SourceDevice): void {
    const ports = new Map<number, Entry>(device.ports.map((port) => [port, { phase: "down", port: undefined }]));
    this.#devices.set(device.name, ports);
    for (const port of device.ports) this.#step(device.name, port, "refresh");
  }

  #remove(device: string): void {
    const ports = this.#devices.get(device);
    this.#devices.delete(device);
    for (const { phase, port } of ports?.values() ?? []) {
      if (phase === "active" && port !== undefined) this.onChange({ type: "closed", port });
    }
  }

  #step(device: string, number: number, signal: PortSignalType, raw?: unknown): void {
    const entry = this.#devices.get(device)?.get(number);
    if (entry === undefined) return;
    const reading = this.source.read(device, number);
    const before = entry.phase === "active" ? entry.port : undefined;
    const { next, action } = stepPort(entry.phase, sightOf(before, reading), signal);
    if (action !== "none") this.logger.info("port", { device, port: number, signal, action, state: reading?.state });
    entry.phase = next;
    if ((action === "close" || action === "reopen") && before !== undefined) {
      entry.port = undefined;
      this.onChange({ type: "closed", port: before });
    }
    if (reading === undefined || action === "none" || action === "close") return;
    if (action === "tell") {
      if (before !== undefined) this.onChange({ type: "changed", port: before, signal, raw });
      return;
    }
    const port = this.#snapshot(reading);
    entry.port = port;
    this.onChange(action === "announce" ? { type: "changed", port, signal, raw } : { type: "opened", port });
  }

  #snapshot(reading: PortReading): Port {
    this.#generation += 1;
    return { ...reading, generation: this.#generation };
  }
}
