import type { PeerSource, TcpSocketInfo, TcpStream, TcpStreamHandler, TransportAddress } from "@verbena/core/sdk";
import type { ReadMemory } from "../memory/read-memory.js";
import { FrameParser } from "../wire/frame-parser.js";
import { FrameBatch } from "./frame-batch.js";
import type { TcpCounters } from "./tcp-counters.js";

/** Bytes of one connection that one turn of the event loop reads, and writes, before others have theirs. */
const TURN_BYTES = 1 << 20;

/** What connections share. */
export interface ConnectionParts {
  readonly counters: TcpCounters;
  /** Read into by whichever connection has something. */
  readonly readMemory: ReadMemory;
  /** See {@link FrameBatch}. */
  readonly pack: Buffer;
  /** Longest payload taken, bytes. */
  readonly maxFrame: number;
}

/** Who has the connection. */
export interface ConnectionOwner {
  /** The first frame has come whole; it is handed on after this. */
  confirmed(connection: TcpConnection): void;
  /** All is over and settled: what came has been handed on, what was acknowledged counted. `cause` is absent if the peer has ended it. */
  lost(connection: TcpConnection, cause: unknown): void;
}

/** One TCP connection that carries frames, from the moment it stands until its end. */
export class TcpConnection implements TcpStreamHandler {
  readonly #batch: FrameBatch;
  readonly #parser: FrameParser;
  /** Frames may be sent. */
  #isUp = false;
  #isConfirmed = false;
  #isOver = false;
  /** What has come is read, and nothing else happens any more. */
  #isEnding = false;
  #isFlushDue = false;
  #written = 0;
  #acked = 0;

  constructor(
    private readonly stream: TcpStream,
    private readonly source: PeerSource,
    private readonly parts: ConnectionParts,
    private readonly owner: ConnectionOwner,
  ) {
    this.#batch = new FrameBatch(source, parts.pack);
    this.#parser = new FrameParser(
      parts.maxFrame,
      (header, at, payload, memory) => {
        if (this.#isOver) return;
        if (!this.#isConfirmed) {
          this.#isConfirmed = true;
          owner.confirmed(this);
        }
        source.received(header, at, payload, memory);
      },
      parts.readMemory,
    );
  }

  /** Frames are carried from now on. */
  begin(): void {
    this.#isUp = true;
    this.source.connectionUp();
    this.wake();
  }

  /** There is something to send: all that comes within this turn goes out together. */
  wake(): void {
    if (this.#isFlushDue || !this.#isUp || this.#isEnding || this.#batch.isStuck) return;
    this.#isFlushDue = true;
    setImmediate(() => {
      this.#isFlushDue = false;
      this.#flush();
    });
  }

  onReadable(): void {
    if (this.#isEnding) return;
    this.parts.counters.tcp_data_ready_calls += 1;
    let isMore = true;
    for (let bytes = 0; isMore && bytes < TURN_BYTES; ) {
      const got = this.#read();
      bytes += Math.max(0, got);
      // Less than there was room for: the rest comes with the next event, so asking once more would be in vain.
      isMore = got > 0 && this.#parser.isFull;
    }
    // Reports of acknowledgements get lost where the receive buffer is full.
    if (this.#acked < this.#written) this.#harvest();
  }

  onWritable(): void {
    this.parts.counters.tcp_write_space_calls += 1;
    this.#flush();
  }

  onAcked(): void {
    if (!this.#isEnding) this.#harvest();
  }

  onFailure(error: Error): void {
    this.#lose(error);
  }

  /**
   * Ends it in favour of another: the peer has dropped it. What has come is read, what was acknowledged counted; then `done` is called, unless
   * it was abandoned meanwhile. All that the peer saw acknowledged came before it dropped the connection, so it is here.
   */
  settle(done: () => void): void {
    this.#drain(() => {
      this.#finish();
      done();
    });
  }

  /** Ends it at once. Nothing is read or counted any more. */
  abandon(): void {
    this.#isOver = true;
    this.stream.close();
  }

  info(local: TransportAddress, remote: TransportAddress): TcpSocketInfo {
    return {
      local: local.address,
      localPort: this.stream.local.port,
      remote: remote.address,
      remotePort: this.stream.remote.port,
      headerRemaining: BigInt(this.#parser.headerRemaining),
      dataRemaining: BigInt(this.#parser.dataRemaining),
      lastSentNext: this.#written >>> 0,
      lastExpectedUna: this.#acked >>> 0,
      lastSeenUna: this.stream.ackPosition() >>> 0,
      tos: 0,
    };
  }

  #flush(): void {
    if (this.#isOver || this.#isEnding || !this.#isUp) return;
    let written: number;
    try {
      written = this.#batch.writeTo(this.stream, TURN_BYTES);
    } catch (error) {
      this.#drain(() => this.#lose(error));
      return;
    }
    this.#written += written;
    if (this.#batch.isStuck) this.parts.counters.tcp_sndbuf_full += 1;
    this.stream.watchWritable(this.#batch.isStuck);
    if (written >= TURN_BYTES) this.wake();
  }

  #harvest(): void {
    this.#acked = this.stream.ackPosition();
    this.source.acked(this.#acked);
  }

  readonly #reader = (into: Buffer, offset: number, length: number): number => this.stream.read(into, offset, length);

  /** Bytes read; -1 once it is over. */
  #read(): number {
    if (this.#isOver) return -1;
    try {
      const got = this.#parser.read(this.#reader);
      if (got < 0) this.#lose(undefined);
      return got;
    } catch (error) {
      this.#lose(error);
      return -1;
    }
  }

  /** Takes what is still there of a connection that is dead or as good as dead, as much in a turn as of any other. */
  #drain(then: () => void): void {
    this.#isEnding = true;
    let isMore = true;
    try {
      for (let bytes = 0; isMore && bytes < TURN_BYTES && !this.#isOver; ) {
        const got = this.#parser.read(this.#reader);
        isMore = got > 0;
        bytes += got;
      }
    } catch {
      // Its end, which is known already.
      isMore = false;
    }
    if (this.#isOver) return;
    if (isMore) setImmediate(() => this.#drain(then));
    else then();
  }

  #lose(cause: unknown): void {
    if (this.#isOver) return;
    this.#finish();
    this.owner.lost(this, cause);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isUp) {
      this.stream.close();
      return;
    }
    this.#harvest();
    // A peer that still sends must not take for delivered what nobody reads any more.
    this.stream.reset();
    this.source.connectionDown();
  }
}
