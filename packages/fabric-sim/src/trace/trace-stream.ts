import type { TraceLostMessage, TracePacketMessage } from "../control/protocol.js";
import type { TraceRecord } from "../fabric/events.js";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";
import type { TraceFilter } from "./trace-filter.js";

/** Where a trace goes. While it is full nothing is written: the fabric never waits for a reader. */
export interface TraceReader {
  readonly isFull: () => boolean;
  readonly write: (message: TracePacketMessage | TraceLostMessage) => void;
}

/** What a stream needs. */
export interface TraceStreamOptions {
  readonly filter: TraceFilter;
  readonly reader: TraceReader;
  /** Milliseconds since 1970, with fractions. */
  readonly wallClock: () => number;
}

const PERMISSIVE = 0xffff;

/** Follows the packets of a fabric for one reader. What the reader has no room for is counted and told when it has. */
export class TraceStream {
  /** Numbers of the packets that the reader has seen; one that the reader has not seen yet has none. */
  readonly #numbers = new WeakMap<Buffer, number>();
  readonly #byLid = new Map<number, FabricPort>();
  readonly #stop: () => void;
  #lastNumber = 0;
  #lost = 0;

  constructor(
    private readonly fabric: Fabric,
    private readonly options: TraceStreamOptions,
  ) {
    this.#stop = fabric.trace.add((record) => {
      this.#take(record);
    });
  }

  /** The reader has room again. */
  resume(): void {
    const { reader } = this.options;
    if (this.#lost === 0 || reader.isFull()) return;
    reader.write({ type: "lost", count: this.#lost });
    this.#lost = 0;
  }

  close(): void {
    this.#stop();
  }

  #take(record: TraceRecord): void {
    const { filter, reader } = this.options;
    if (!filter(record)) return;
    if (reader.isFull()) {
      this.#lost += 1;
      return;
    }
    this.resume();
    reader.write(this.#messageOf(record));
  }

  #messageOf(record: TraceRecord): TracePacketMessage {
    const { packet, origin = packet } = record;
    const hasLids = packet.length >= 8;
    const from = hasLids ? this.#nameOf(packet.readUInt16BE(6)) : undefined;
    const to = hasLids ? this.#nameOf(packet.readUInt16BE(2)) : undefined;
    return {
      type: "packet",
      number: this.#numberOf(origin),
      event: record.type,
      timeMs: microseconds(this.fabric.services.clock.now()),
      epochMs: microseconds(this.options.wallClock()),
      port: record.type === "forward" ? record.hop.from.name : record.port.name,
      ...(record.type === "forward" ? { peer: record.hop.to.name } : {}),
      ...(record.type === "drop" ? { reason: record.reason } : {}),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      bytes: packet.toString("hex"),
    };
  }

  #numberOf(packet: Buffer): number {
    const known = this.#numbers.get(packet);
    if (known !== undefined) return known;
    this.#lastNumber += 1;
    this.#numbers.set(packet, this.#lastNumber);
    return this.#lastNumber;
  }

  /** Name of the port that has the LID now. */
  #nameOf(lid: number): string | undefined {
    if (lid === 0 || lid === PERMISSIVE) return undefined;
    let port = this.#byLid.get(lid);
    if (port?.hasLid(lid) !== true) {
      port = this.fabric.portByLid(lid);
      if (port !== undefined) this.#byLid.set(lid, port);
    }
    return port?.name;
  }
}

const microseconds = (ms: number): number => Math.round(ms * 1000) / 1000;
