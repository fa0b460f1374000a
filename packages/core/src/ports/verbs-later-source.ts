import type { Clock } from "../sdk/services.js";
import type { PortReading, PortSignal, PortSource, SourceDevice } from "./port-source.js";

/** How often libibverbs is asked for a first device. */
const LOOK_MS = 5_000;

/** What the source is made of. */
export interface VerbsLaterParts {
  readonly umad: PortSource;
  /** The verbs source, once libibverbs lists a device. */
  readonly verbs: () => PortSource | undefined;
  readonly clock: Clock;
}

/**
 * Ports through libibumad until libibverbs lists a device, through libibverbs from then on: a daemon that started before its
 * adapter's driver must not stay with the library that reports no events.
 */
export class VerbsLaterSource implements PortSource {
  #current: PortSource;
  #onSignal: (signal: PortSignal) => void = () => undefined;
  #cancel: (() => void) | undefined;
  /** The libibumad source on its way out. */
  #closing: Promise<void> = Promise.resolve();

  constructor(private readonly parts: VerbsLaterParts) {
    this.#current = parts.umad;
  }

  get kind(): PortSource["kind"] {
    return this.#current.kind;
  }

  start(onSignal: (signal: PortSignal) => void): readonly SourceDevice[] {
    this.#onSignal = onSignal;
    this.#arm();
    return this.#current.start(onSignal);
  }

  devices(): readonly SourceDevice[] {
    return this.#current.devices();
  }

  read(device: string, port: number): PortReading | undefined {
    return this.#current.read(device, port);
  }

  rescan(): void {
    this.#look();
    this.#current.rescan();
  }

  async close(): Promise<void> {
    this.#cancel?.();
    await Promise.all([this.#closing, this.#current.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #arm(): void {
    this.#cancel = this.parts.clock.schedule(LOOK_MS, () => {
      this.#look();
      if (this.#current === this.parts.umad) this.#arm();
    });
  }

  /** The ports change hands: who works on one gets it anew, with what verbs knows of it. */
  #look(): void {
    if (this.#current !== this.parts.umad) return;
    const verbs = this.parts.verbs();
    if (verbs === undefined) return;
    this.#cancel?.();
    const before = this.#current.devices();
    this.#closing = this.#current.close();
    this.#current = verbs;
    for (const { name } of before) this.#onSignal({ type: "device-removed", device: name });
    for (const { name } of verbs.start(this.#onSignal)) this.#onSignal({ type: "device-added", device: name });
  }
}
