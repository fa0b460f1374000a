import {
  type LocalTransport,
  OccasionalWarning,
  type PeerLink,
  type PeerSource,
  type TcpListener,
  type TcpListenerHandler,
  type TcpSocketInfo,
  type TcpStream,
  type TransportAddress,
  type TransportCounter,
  type TransportSink,
} from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";
import { addressKey } from "../engine/ip.js";
import { ReadMemory } from "../memory/read-memory.js";
import { AcceptLimit } from "./accept-limit.js";
import { compareAddresses } from "./address-order.js";
import { PACK_SIZE } from "./frame-batch.js";
import type { TcpContext, TcpHost } from "./tcp-context.js";
import { createTcpCounters, listTcpCounters } from "./tcp-counters.js";
import { TcpLink } from "./tcp-link.js";
import type { TcpSettings } from "./tcp-options.js";

/** Wait before connections are accepted again when the process is out of descriptors or memory. */
const TROUBLE_MS = 1_000;

/** A link to a peer that is not to be spoken with: what is sent to it waits, as for one that cannot be reached. */
const NO_LINK: PeerLink = { state: "down", wake: () => undefined, close: () => undefined };

/** The TCP transport on one local address: its listener, and a link to each peer. */
export class TcpLocal implements LocalTransport, TcpListenerHandler {
  readonly #links = new Map<string, TcpLink>();
  readonly #counters = createTcpCounters();
  readonly #context: TcpContext;
  readonly #listener: TcpListener;
  readonly #accepts: AcceptLimit;
  readonly #turnedAway: OccasionalWarning;
  readonly #limited: OccasionalWarning;
  #isClosed = false;
  #resume: () => void = () => undefined;

  /** Listens. Throws `VERBENA_NATIVE_TCP`: EADDRINUSE where the kernel's rds_tcp or another program serves the address. */
  constructor(
    host: TcpHost,
    settings: TcpSettings,
    local: TransportAddress,
    private readonly sink: TransportSink,
  ) {
    this.#context = {
      native: host.native,
      clock: host.clock,
      random: host.random,
      logger: host.logger,
      local,
      options: settings,
      parts: {
        counters: this.#counters,
        readMemory: new ReadMemory(),
        pack: Buffer.allocUnsafeSlow(PACK_SIZE),
        maxFrame: settings.maxMessageSize,
      },
    };
    const { clock, logger } = host;
    this.#accepts = new AcceptLimit(clock, settings.maxAcceptRate, settings.maxAcceptRatePerPeer);
    this.#turnedAway = new OccasionalWarning("RDS peer turned away", clock, logger);
    this.#limited = new OccasionalWarning("RDS peers connect too often: turned away", clock, logger);
    this.#listener = host.native.tcp.listen({ host: local.address, port: settings.port, scopeId: local.scopeId }, this);
  }

  link(remote: TransportAddress, source: PeerSource): PeerLink {
    if (!this.#isWanted(remote)) return NO_LINK;
    const key = addressKey(remote);
    const link = new TcpLink(this.#context, remote, source, () => this.#links.delete(key));
    this.#links.set(key, link);
    return link;
  }

  counters(): readonly TransportCounter[] {
    return listTcpCounters(this.#counters);
  }

  tcpSockets(): readonly TcpSocketInfo[] {
    return [...this.#links.values()].flatMap((link) => link.info());
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#resume();
      this.#listener.close();
      for (const link of [...this.#links.values()]) link.close();
    }
    return Promise.resolve();
  }

  onAccept(stream: TcpStream): void {
    const remote = { address: IpAddress.parse(stream.remote.host), scopeId: stream.remote.scopeId ?? 0 };
    if (!this.#isWanted(remote)) return this.#turnAway(stream, remote, this.#turnedAway);
    if (!this.#accepts.allows(addressKey(remote))) return this.#turnAway(stream, remote, this.#limited);
    const link = this.#linkTo(remote);
    if (link === undefined) return this.#turnAway(stream, remote, this.#turnedAway);
    link.accepted(stream);
  }

  onTrouble(error: Error): void {
    const { clock, logger } = this.#context;
    logger.warn("RDS connections cannot be accepted", { cause: error });
    this.#resume = clock.schedule(TROUBLE_MS, () => {
      try {
        this.#listener.resume();
      } catch (cause) {
        // The host was closed before the stack.
        logger.debug("RDS connections are not accepted any more", { cause });
      }
    });
  }

  #turnAway(stream: TcpStream, { address }: TransportAddress, warning: OccasionalWarning): void {
    this.#counters.tcp_listen_closed_stale += 1;
    warning.happened({ peer: address });
    stream.reset();
  }

  /** Equal addresses are one host's: nothing goes out. */
  #isWanted({ address }: TransportAddress): boolean {
    const { local, options } = this.#context;
    return compareAddresses(address, local.address) !== 0 && options.peers?.has(address) !== false;
  }

  #linkTo(remote: TransportAddress): TcpLink | undefined {
    const key = addressKey(remote);
    if (!this.#links.has(key) && !this.sink.contact(remote)) return undefined;
    return this.#links.get(key);
  }
}
