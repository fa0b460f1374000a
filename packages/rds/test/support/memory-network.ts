import type {
  LocalTransport,
  MessageTransport,
  PeerLink,
  PeerSource,
  TransportAddress,
  TransportSink,
} from "@verbena/core/sdk";

const HEADER_SIZE = 48;

/**
 * A network in memory, written as a third party would write a transport: with the contract of `@verbena/core/sdk` alone. Every host on it has
 * some addresses; frames cross when the turn of the event loop ends. A host can be away, connections can be cut, acknowledgements withheld.
 */
export class MemoryNetwork {
  readonly #open = new Map<string, MemoryAddress>();
  readonly #away = new Set<string>();
  /** Frames are delivered and not acknowledged. */
  withholdsAcks = false;
  /** Every frame that has crossed: sender, receiver, bytes. */
  readonly frames: { readonly from: string; readonly to: string; readonly bytes: Buffer }[] = [];

  /** The transport of a host with these addresses. */
  host(...addresses: readonly string[]): MessageTransport {
    return {
      kind: "messages",
      name: "memory",
      claims: ({ address }) => addresses.includes(address),
      open: (local, sink) => {
        const opened = new MemoryAddress(this, local, sink);
        this.#open.set(local.address, opened);
        return Promise.resolve(opened);
      },
    };
  }

  /** Takes an address off the network; its connections break. */
  leave(address: string): void {
    this.#away.add(address);
    this.cut(address);
  }

  /** Puts it back; whoever has something to send connects. */
  join(address: string): void {
    this.#away.delete(address);
    for (const open of this.#open.values()) open.wake();
  }

  /** Breaks all connections of an address. */
  cut(address: string): void {
    for (const open of this.#open.values()) open.cut(address);
  }

  reach(from: string, to: string): MemoryAddress | undefined {
    return this.#away.has(from) || this.#away.has(to) ? undefined : this.#open.get(to);
  }

  forget(address: string): void {
    this.cut(address);
    this.#open.delete(address);
  }
}

class MemoryAddress implements LocalTransport {
  readonly #links = new Map<string, MemoryLink>();

  constructor(
    readonly network: MemoryNetwork,
    readonly local: TransportAddress,
    readonly sink: TransportSink,
  ) {}

  link(remote: TransportAddress, source: PeerSource): PeerLink {
    const link = new MemoryLink(this, remote, source);
    this.#links.set(remote.address, link);
    return link;
  }

  /** The end of a connection from a peer, made if it is the first. */
  accept(remote: TransportAddress): MemoryLink | undefined {
    if (!this.#links.has(remote.address) && !this.sink.contact(remote)) return undefined;
    return this.#links.get(remote.address);
  }

  wake(): void {
    for (const link of this.#links.values()) link.wake();
  }

  cut(address: string): void {
    for (const [remote, link] of this.#links) {
      if (address === this.local.address || address === remote) link.down();
    }
  }

  close(): Promise<void> {
    this.network.forget(this.local.address);
    return Promise.resolve();
  }
}

class MemoryLink implements PeerLink {
  state: "down" | "connecting" | "up" = "down";
  #other: MemoryLink | undefined;
  #isWoken = false;

  constructor(
    readonly at: MemoryAddress,
    readonly remote: TransportAddress,
    readonly source: PeerSource,
  ) {}

  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    queueMicrotask(() => {
      this.#isWoken = false;
      if (this.state !== "up" && this.source.hasWork) this.#connect();
      this.#pump();
    });
  }

  down(): void {
    if (this.state !== "up") return;
    this.state = "down";
    this.#other = undefined;
    this.source.connectionDown();
  }

  close(): void {
    this.#other?.down();
    this.state = "down";
    this.#other = undefined;
  }

  #connect(): void {
    const other = this.at.network.reach(this.at.local.address, this.remote.address)?.accept(this.at.local);
    if (other === undefined) return;
    other.down();
    this.#up(other);
    other.#up(this);
  }

  #up(other: MemoryLink): void {
    this.#other = other;
    this.state = "up";
    this.source.connectionUp();
    this.wake();
  }

  #pump(): void {
    for (let frame = this.source.next(); frame !== undefined; frame = this.source.next()) {
      const bytes = Buffer.from(frame.bytes);
      this.at.network.frames.push({ from: this.at.local.address, to: this.remote.address, bytes });
      this.#other?.source.received(bytes, 0, Buffer.from(bytes.subarray(HEADER_SIZE)));
      if (!this.at.network.withholdsAcks) this.source.acked(frame.end);
    }
  }
}
