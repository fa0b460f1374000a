import { Gid, Guid, Lid, Mtu, PKey } from "@verbena/ib";
import type {
  DeviceEvent,
  VerbsContext,
  VerbsDeviceAttributes,
  VerbsDeviceInfo,
  VerbsPortAttributes,
} from "../api/verbs.js";
import type { VerbsContextBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { calling, failure } from "../failure.js";
import { SingleReaderQueue } from "../streams/single-reader-queue.js";
import { portState } from "../umad/port-info.js";
import { linkLayerName, toDeviceEvent } from "./names.js";

/** An open verbs device. Keeps the process alive from the first call of `events()` until it is closed. */
export class OpenVerbsContext implements VerbsContext {
  readonly #events: SingleReaderQueue<DeviceEvent>;
  readonly #what: string;
  #isStarted = false;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly binding: VerbsContextBinding,
    readonly device: VerbsDeviceInfo,
    private readonly onClose: (context: OpenVerbsContext) => void,
  ) {
    this.#what = `verbs device ${device.name}`;
    this.#events = new SingleReaderQueue<DeviceEvent>(this.#what, {
      pause: () => this.binding.setReading(false),
      resume: () => this.binding.setReading(true),
    });
  }

  queryDevice(): VerbsDeviceAttributes {
    const raw = this.#query("", () => this.binding.queryDevice());
    return { ...raw, nodeGuid: Guid.from(raw.nodeGuid), sysImageGuid: Guid.from(raw.sysImageGuid) };
  }

  queryPort(port: number): VerbsPortAttributes {
    const raw = this.#query(` port ${port}`, () => this.binding.queryPort(port));
    return {
      ...raw,
      port,
      state: portState(raw.state),
      maxMtu: Mtu.from(raw.maxMtu & 0x3f),
      activeMtu: Mtu.from(raw.activeMtu & 0x3f),
      lid: Lid.from(raw.lid),
      smLid: Lid.from(raw.smLid),
      linkLayer: linkLayerName(raw.linkLayer),
    };
  }

  gids(port: number): readonly Gid[] {
    const table = this.#query(` port ${port}`, () => this.binding.gids(port));
    const gids: Gid[] = [];
    for (let at = 0; at < table.length; at += Gid.SIZE) {
      const gid = Gid.read(table, at);
      if (gid !== Gid.zero) gids.push(gid);
    }
    return gids;
  }

  pkeys(port: number): readonly PKey[] {
    return this.#query(` port ${port}`, () => this.binding.pkeys(port)).map((pkey) => PKey.from(pkey));
  }

  events(): AsyncIterableIterator<DeviceEvent> {
    this.#needOpen();
    if (!this.#isStarted) this.#start();
    return this.#events.read();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#events.end(true);
    await this.binding.close();
    this.onClose(this);
  }

  #start(): void {
    calling("VERBENA_NATIVE_OPEN", { what: `the events of ${this.#what}` }, () => {
      this.binding.start(
        (events) => {
          for (let i = 0; i + 1 < events.length; i += 2) {
            this.#events.push(toDeviceEvent(events[i] ?? 0, events[i + 1] ?? 0));
          }
        },
        (cause) => this.#events.fail(failure("VERBENA_NATIVE_RECEIVE", { what: this.#what }, cause)),
      );
    });
    this.#isStarted = true;
  }

  #query<T>(part: string, call: () => T): T {
    this.#needOpen();
    return calling("VERBENA_NATIVE_QUERY", { what: `${this.#what}${part}` }, call);
  }

  #needOpen(): void {
    if (this.#closing !== undefined) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: this.#what } });
  }
}
