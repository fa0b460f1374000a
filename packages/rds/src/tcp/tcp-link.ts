import type { PeerLink, PeerSource, TcpEndpoint, TcpSocketInfo, TcpStream, TransportAddress } from "@verbena/core/sdk";
import { compareAddresses } from "./address-order.js";
import { BackOff } from "./back-off.js";
import { type LinkEffect, type LinkEvent, type LinkRole, type LinkState, linkStep } from "./link-machine.js";
import { type ConnectionOwner, TcpConnection } from "./tcp-connection.js";
import type { TcpContext } from "./tcp-context.js";

/** Bound of the first wait, milliseconds. Of the larger address it is the time its peer has to call by itself before it is asked again. */
const MIN_WAIT_MS: Readonly<Record<LinkRole, number>> = { smaller: 1, larger: 64 };
/** A connection that lived shorter than this counts as a failed try. */
const SHORT_LIFE_MS = 5;

/** The link to one peer: keeps a connection to it, or goes on trying, by the table of `link-machine.ts`. */
export class TcpLink implements PeerLink, ConnectionOwner {
  readonly #role: LinkRole;
  readonly #backOff: BackOff;
  #state: LinkState = "idle";
  /** An attempt of our own that is not decided. */
  #attempt: TcpStream | undefined;
  #connection: TcpConnection | undefined;
  #upSince = 0;
  #unschedule: () => void = () => undefined;

  constructor(
    private readonly context: TcpContext,
    private readonly remote: TransportAddress,
    private readonly source: PeerSource,
    private readonly onClose: () => void,
  ) {
    this.#role = compareAddresses(context.local.address, remote.address) < 0 ? "smaller" : "larger";
    this.#backOff = new BackOff(MIN_WAIT_MS[this.#role], context.random);
  }

  get state(): "down" | "connecting" | "up" {
    if (this.#state === "up") return "up";
    return this.#state === "connecting" || this.#state === "unconfirmed" ? "connecting" : "down";
  }

  wake(): void {
    if (this.#state === "up") this.#connection?.wake();
    else if (this.#state === "idle") this.#step("work");
  }

  close(): void {
    if (this.#state === "closed") return;
    this.#step("close");
    this.onClose();
  }

  /** The peer has called. */
  accepted(stream: TcpStream): void {
    if (this.#state !== "idle" && this.#state !== "waiting") this.context.parts.counters.tcp_connect_raced += 1;
    this.#step("accepted", stream);
  }

  confirmed(): void {
    this.#step("confirmed");
  }

  lost(_connection: TcpConnection, cause: unknown): void {
    const { clock, logger } = this.context;
    logger.info("RDS connection lost", { peer: this.remote.address, cause: cause ?? "ended by the peer" });
    const hasWorked = this.#state === "up" && clock.now() - this.#upSince >= SHORT_LIFE_MS;
    if (hasWorked) this.#backOff.reset();
    this.#step("lost");
  }

  info(): readonly TcpSocketInfo[] {
    const { local } = this.context;
    return this.#connection === undefined ? [] : [this.#connection.info(local, this.remote)];
  }

  #step(event: LinkEvent, stream?: TcpStream): void {
    const { state, effects } = linkStep(this.#role, this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#act(effect, stream);
  }

  #act(effect: LinkEffect, stream: TcpStream | undefined): void {
    switch (effect) {
      case "connect":
        this.#connect();
        return;
      case "hang-up":
        this.#attempt?.close();
        this.#attempt = undefined;
        return;
      case "turn-away":
        this.context.parts.counters.tcp_listen_closed_stale += 1;
        stream?.reset();
        return;
      case "adopt":
        this.#adopt(stream);
        return;
      case "replace":
        this.#connection?.settle();
        this.#adopt(stream);
        return;
      case "begin":
        this.#upSince = this.context.clock.now();
        this.#connection?.begin();
        return;
      case "end":
        this.#connection?.abandon();
        this.#connection = undefined;
        return;
      case "schedule":
        this.#connection = undefined;
        this.#unschedule = this.context.clock.schedule(this.#backOff.next(), () => {
          this.#step(this.source.hasWork ? "timer" : "idle-timer");
        });
        return;
      case "unschedule":
        this.#unschedule();
        return;
      default:
        effect satisfies never;
    }
  }

  /** Of what the peer has opened, or of the own attempt that has come about. */
  #adopt(accepted: TcpStream | undefined): void {
    const stream = accepted ?? this.#attempt;
    if (stream === undefined) return;
    // Whoever got the last messages of the old connection may have closed the link.
    if (this.#state === "closed") {
      stream.reset();
      return;
    }
    const connection = new TcpConnection(stream, this.source, this.context.parts, this);
    this.#connection = connection;
    if (accepted !== undefined) accepted.start(connection);
    this.#attempt = undefined;
  }

  #connect(): void {
    const { address, scopeId } = this.remote;
    const { native, local, options } = this.context;
    const from: TcpEndpoint = { host: local.address, port: 0, scopeId: local.scopeId };
    const to: TcpEndpoint = { host: address, port: options.peerPorts.get(address) ?? options.port, scopeId };
    const failed = (cause: unknown): void => {
      this.context.logger.debug("RDS peer cannot be reached", { peer: address, cause });
      this.#step("failed");
    };
    try {
      const attempt = native.tcp.connect(from, to, {
        onConnected: () => {
          if (this.#attempt === attempt) this.#step("connected");
        },
        onFailure: (error) => {
          if (this.#attempt === attempt) failed(error);
        },
        // From the moment it stands, what happens to it is its connection's affair.
        onReadable: () => this.#connection?.onReadable(),
        onWritable: () => this.#connection?.onWritable(),
        onAcked: () => this.#connection?.onAcked(),
      });
      this.#attempt = attempt;
    } catch (cause) {
      // Not from within the step that is under way: a host without a way to the peer refuses at once.
      queueMicrotask(() => {
        if (this.#state === "connecting" && this.#attempt === undefined) failed(cause);
      });
    }
  }
}
