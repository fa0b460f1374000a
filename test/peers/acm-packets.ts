import { SimControlClient, type TraceSelection } from "@verbena/fabric-sim";
import { decodeIbPacket, type IbPacket } from "@verbena/ib";

/** A packet as a port put it on the wire. */
export interface SentPacket extends IbPacket {
  /** `H1[1]`. */
  readonly port: string;
  /** The fabric's clock. */
  readonly timeMs: number;
  /** The management datagram: ACM's, or of a management class on QP 1. */
  readonly mad: Buffer;
}

/** The management datagrams of a class that hosts send, as they come. */
export class SentPackets implements AsyncDisposable {
  readonly #packets: SentPacket[] = [];
  readonly #abort = new AbortController();
  readonly #looking = new Set<() => void>();
  #done: Promise<void> = Promise.resolve();

  /** Follows from now on. `mgmtClass` as `sim ctl trace` takes it. */
  static async follow(dir: string, mgmtClass: string): Promise<SentPackets> {
    const self = new SentPackets();
    const selection: TraceSelection = { class: mgmtClass, events: ["send"] };
    const trace = SimControlClient.trace(dir, { ...selection, signal: self.#abort.signal });
    await trace.next();
    self.#done = self.#read(trace);
    return self;
  }

  /** All packets so far that fit. */
  of(fits: (packet: SentPacket) => boolean): readonly SentPacket[] {
    return this.#packets.filter(fits);
  }

  /** Waits until as many packets fit, and gives them. */
  until(fits: (packet: SentPacket) => boolean, count = 1): Promise<readonly SentPacket[]> {
    return new Promise((settle) => {
      const look = () => {
        const found = this.of(fits);
        if (found.length < count) return;
        this.#looking.delete(look);
        settle(found);
      };
      this.#looking.add(look);
      look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  async #read(trace: ReturnType<typeof SimControlClient.trace>): Promise<void> {
    for await (const message of trace) {
      if (message.type === "lost") throw new Error(`${message.count} packets were too fast for the trace's reader`);
      if (message.type !== "packet") continue;
      const packet = decodeIbPacket(Buffer.from(message.bytes, "hex"));
      this.#packets.push({ ...packet, port: message.port, timeMs: message.timeMs, mad: packet.payload });
      for (const look of [...this.#looking]) look();
    }
  }
}
