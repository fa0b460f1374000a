import type { TcpEndpoint, TcpStream, TcpStreamHandler } from "@verbena/core/sdk";
import type { SimulatedNetwork } from "./simulated-tcp.js";

/** What the kernel takes of one connection before it is acknowledged, bytes. */
const SEND_BUFFER = 48 * 1024;

const failed = (code: string): Error => Object.assign(new Error(code), { code: "VERBENA_NATIVE_TCP" });

/** One end of a connection of a {@link SimulatedNetwork}. */
export class SimulatedStream implements TcpStream {
  #handler: TcpStreamHandler | undefined;
  #peer: SimulatedStream | undefined;
  /** Arrived and not read. */
  #arrived: Buffer[] = [];
  /** On the way to the peer, in order. */
  #onTheWay: Buffer[] = [];
  #written = 0;
  #acked = 0;
  #isWatched = false;
  /** Bytes of this end are on the move. */
  #isMoving = false;
  /** Arrived at the peer, whose acknowledgement is on its way. */
  #unreported = 0;
  /** The network has broken it: nothing moves any more, whether this end knows or not. */
  #isCut = false;
  /** What a read gives once all was read: the end, or an error. */
  #outcome: "open" | "end" | "reset" = "open";
  isClosed = false;

  constructor(
    private readonly network: SimulatedNetwork,
    readonly local: TcpEndpoint,
    readonly remote: TcpEndpoint,
  ) {}

  start(handler: TcpStreamHandler): void {
    this.#handler = handler;
    this.#tellReadable();
  }

  join(peer: SimulatedStream): void {
    this.#peer = peer;
  }

  connected(): void {
    if (this.isClosed) return;
    this.#handler?.onConnected?.();
    // What has come meanwhile was told to nobody.
    this.#tellReadable();
  }

  refuse(): void {
    if (!this.isClosed) this.#handler?.onFailure(failed("ECONNREFUSED"));
  }

  read(into: Uint8Array, offset: number, length: number): number {
    const first = this.#arrived[0];
    if (first === undefined) {
      if (this.#outcome === "reset") throw failed("ECONNRESET");
      return this.#outcome === "end" ? -1 : 0;
    }
    const count = Math.min(first.length, length);
    into.set(first.subarray(0, count), offset);
    if (count === first.length) this.#arrived.shift();
    else this.#arrived[0] = first.subarray(count);
    // A short read says that nothing is left, which here is not so.
    this.#tellReadable();
    return count;
  }

  write(segments: readonly Uint8Array[], skip: number): number {
    if (this.#outcome === "reset") throw failed("ECONNRESET");
    const room = Math.min(
      SEND_BUFFER - (this.#written - this.#acked),
      1 + Math.floor(this.network.random() * SEND_BUFFER),
    );
    const parts: Uint8Array[] = [];
    let took = 0;
    for (const [i, segment] of segments.entries()) {
      const rest = i === 0 ? segment.subarray(skip) : segment;
      const part = rest.subarray(0, Math.max(0, room - took));
      parts.push(part);
      took += part.length;
      if (part.length < rest.length) break;
    }
    this.#written += took;
    if (took > 0) {
      this.#onTheWay.push(Buffer.concat(parts));
      this.#transmit();
    }
    return took;
  }

  watchWritable(isWatched: boolean): void {
    this.#isWatched = isWatched;
    if (isWatched) this.network.later(() => this.#tellWritable());
  }

  ackPosition(): number {
    return this.#acked;
  }

  close(): void {
    this.#end("end");
  }

  reset(): void {
    this.#end("reset");
  }

  /** Breaks the connection: of what is on the way a part arrives, no acknowledgement does, and each end learns of it in its own time. */
  cut(): void {
    const ends = this.#peer === undefined ? [this] : [this, this.#peer];
    for (const end of ends) {
      const whole = Buffer.concat(end.#onTheWay);
      const part = whole.subarray(0, Math.floor(this.network.random() * (whole.length + 1)));
      end.#onTheWay = [];
      if (end.#peer !== undefined) end.#peer.#take(part);
    }
    for (const end of ends) {
      end.#isCut = true;
      this.network.later(() => end.#learn("reset"));
    }
  }

  #end(how: "end" | "reset"): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const outcome = this.#arrived.length > 0 ? "reset" : how;
    this.#arrived = [];
    if (this.#isCut) return;
    if (outcome === "reset") this.#onTheWay = [];
    // Behind what is still on the way.
    const tell = (): void => {
      if (this.#onTheWay.length > 0) this.network.later(tell);
      else if (this.#peer !== undefined) this.#peer.#learn(outcome);
    };
    this.network.later(tell);
  }

  /** Sends what is on the way off, or goes on with it. */
  #transmit(): void {
    if (this.#isMoving || this.#onTheWay.length === 0) return;
    this.#isMoving = true;
    this.network.later(() => {
      this.#isMoving = false;
      this.#deliver();
      this.#transmit();
    });
  }

  /** A part of what is on the way reaches the peer: sometimes all of it, sometimes a byte. */
  #deliver(): void {
    const peer = this.#peer;
    if (this.#isCut || peer === undefined) return;
    const whole = Buffer.concat(this.#onTheWay);
    const isAll = this.network.random() < 0.5;
    const count = isAll ? whole.length : Math.ceil(this.network.random() * whole.length);
    this.#onTheWay = count < whole.length ? [whole.subarray(count)] : [];
    if (peer.isClosed) return;
    peer.#take(whole.subarray(0, count));
    this.#unreported += count;
    if (this.#unreported > count) return;
    this.network.later(() => {
      if (this.#isCut || this.isClosed) return;
      this.#acked += this.#unreported;
      this.#unreported = 0;
      this.#handler?.onAcked();
      this.#tellWritable();
    });
  }

  #take(bytes: Buffer): void {
    if (this.isClosed || bytes.length === 0) return;
    this.#arrived.push(Buffer.from(bytes));
    this.#tellReadable();
  }

  #learn(outcome: "end" | "reset"): void {
    if (this.isClosed || this.#outcome === "reset") return;
    this.#outcome = outcome;
    this.#tellReadable();
  }

  #tellReadable(): void {
    if (this.#arrived.length === 0 && this.#outcome === "open") return;
    this.network.clock.schedule(0, () => {
      if (!this.isClosed && (this.#arrived.length > 0 || this.#outcome !== "open")) this.#handler?.onReadable();
    });
  }

  /** As soon as a third of the buffer is free. */
  #tellWritable(): void {
    const isRoomy = this.#written - this.#acked <= (SEND_BUFFER * 2) / 3;
    if (isRoomy && this.#isWatched && !this.isClosed) this.#handler?.onWritable();
  }
}
