import type { PeerLink, PeerSource, TcpEndpoint, TcpSocketInfo, TcpStream, TransportAddress } from "@verbena/core/sdk";
import { VerbenaError } from "@verbena/ib";
import { compareAddresses } from "./address-order.js";
import { BackOff } from "./back-off.js";
import { type LinkEffect, type LinkEvent, type LinkRole, type LinkState, linkStep } from "./link-machine.js";
import { type ConnectionOwner, TcpConnection } from "./tcp-connection.js";
import type { TcpContext } from "./tcp-context.js";

/** Bound of the first wait, milliseconds. Of the larger address it is the time its peer has to call by itself before it is asked again. */
const MIN_WAIT_MS: Readonly<Record<LinkRole, number>> = { smaller: 1, larger: 64 };
/** A connection that lived shorter than this counts as a failed try. */
const SHORT_LIFE_MS = 5;
/** An attempt that has taken longer than this waits for the kernel's own repetition, a second or more, if the peer was away when it began. */
const LATE_MS = 500;

/** The link to one peer: keeps a connection to it, or goes on trying, by the table of `link-machine.ts`. */
export class TcpLink implements PeerLink, ConnectionOwner {
  readonly #role: LinkRole;
  readonly #backOff: BackOff;
  #state: LinkState = "idle";
  /** An attempt of our own that is not decided. */
  #attempt: TcpStream | undefined;
  #attemptSince = 0;
  #connection: TcpConnection | undefined;
  /** Accepted while the connection before it is read to its end. */
  #successor: TcpStream | undefined;
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
    this.#step(this.#isLate ? "called-late" : "accepted", stream);
  }

  confirmed(): void {
    this.#step("confirmed");
  }

  lost(_connection: TcpConnection, cause: unknown): void {
    const { clock, logger } = this.context;
    logger.info("RDS connection lost", { peer: this.remote.address, cause: cause ?? "ended by the peer" });
    // Whoever sends what cannot be read will do so again.
    const isRefused = VerbenaError.is(cause, "VERBENA_RDS_MALFORMED");
    const hasWorked = this.#state === "up" && clock.now() - this.#upSince >= SHORT_LIFE_MS && !isRefused;
    if (hasWorked) this.#backOff.reset();
    this.#step("lost");
  }

  info(): readonly TcpSocketInfo[] {
    const { local } = this.context;
    return this.#connection === undefined ? [] : [this.#connection.info(local, this.remote)];
  }

  get #isLate(): boolean {
    const { clock } = this.context;
    return this.#role === "smaller" && this.#state === "connecting" && clock.now() - this.#attemptSince >= LATE_MS;
  }

  #step(event: LinkEvent, stream?: TcpStream): void {
    const { state, effects } = linkStep(this.#role, this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#act(effect, stream);
    this.#checkUp();
  }

  /** A connection that could not be taken has ended before it began. */
  #checkUp(): void {
    if (this.#state === "up" && this.#connection === undefined) this.#step("lost");
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
        this.#replace(stream);
        return;
      case "begin":
        this.#begin();
        return;
      case "end":
        this.#connection?.abandon();
        this.#connection = undefined;
        this.#successor?.reset();
        this.#successor = undefined;
        return;
      case "schedule":
        this.#schedule(this.#backOff.next());
        return;
      case "await-call":
        this.#schedule(this.#backOff.next(MIN_WAIT_MS.larger));
        return;
      case "unschedule":
        this.#unschedule();
        return;
      default:
        effect satisfies never;
    }
  }

  #schedule(waitMs: number): void {
    this.#connection = undefined;
    this.#unschedule = this.context.clock.schedule(waitMs, () => {
      this.#step(this.source.hasWork ? "timer" : "idle-timer");
    });
  }

  #begin(): void {
    this.#upSince = this.context.clock.now();
    this.#connection?.begin();
  }

  /** The old connection may have much to read, and the peer may call once more meanwhile. */
  #replace(stream: TcpStream | undefined): void {
    const isUnderWay = this.#successor !== undefined;
    this.#successor?.reset();
    this.#successor = stream;
    if (isUnderWay) return;
    this.#connection?.settle(() => {
      const successor = this.#successor;
      this.#successor = undefined;
      this.#adopt(successor);
      this.#begin();
      this.#checkUp();
    });
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
    this.#attempt = undefined;
    try {
      accepted?.start(connection);
    } catch (cause) {
      this.context.logger.warn("RDS connection cannot be watched", { peer: this.remote.address, cause });
      stream.reset();
      this.#connection = undefined;
    }
  }

  #connect(): void {
    const { address, scopeId } = this.remote;
    const { native, local, options, clock } = this.context;
    this.#attemptSince = clock.now();
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
