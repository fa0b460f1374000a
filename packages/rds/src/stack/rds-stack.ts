import type {
  DatagramTransport,
  SocketBackend,
  SocketEvents,
  TransportAddress,
  TransportInfoLists,
} from "@verbena/core/sdk";
import { type OptionNames, unknownOption } from "@verbena/ib";
import type { AttachServer, AttachServerOptions } from "../attach/server/attach-server.js";
import { StackServer } from "../attach/server/stack-server.js";
import { Engine } from "../engine/engine.js";
import { EngineSocket } from "../engine/engine-socket.js";
import { checkList, listInfo } from "../engine/info.js";
import type { RdsSemantics } from "../engine/settings.js";
import { errnoError, rdsError } from "../errors.js";
import { LoopTransport } from "../loop/loop-transport.js";
import { RdsSocket } from "../socket/rds-socket.js";
import type { SocketContext } from "../socket/socket-context.js";
import type { RdsSocketOptions } from "../socket/types.js";
import { numberOption } from "./number-option.js";
import type { RdsHost } from "./rds-host.js";

/** What a stack of sockets is made of. */
export interface RdsStackOptions {
  /** `createHost()` of `@verbena/core`. The stack does not close it. */
  readonly host: RdsHost;
  /** Asked in this order which serves an address that a socket is bound to. Default: loopback alone. The stack does not close them. */
  readonly transports?: readonly DatagramTransport[];
  /** Whose rules hold where Linux and the manual of RDS differ; `docs/rds.md` lists them. Default: `linux`. */
  readonly semantics?: RdsSemantics;
  /** Largest message that can be sent, payload bytes, up to 2^32 − 1. Default 1 MiB. */
  readonly maxMessageSize?: number;
  /** Peers per local address at most. Default 4096. */
  readonly maxPeers?: number;
  /**
   * Memory of what waits on the sockets of one local address, bytes. From half of it on all its ports are congested; beyond it messages of a peer
   * that has sent a quarter of it, and 4 MiB, since it knows are dropped. Default 256 MiB.
   */
  readonly maxReceiveMemory?: number;
  /** Ports of 127/8 and ::1 get congested as others do, which on Linux they do not. Default: no. */
  readonly loopbackCongestion?: boolean;
  /** Whether pings, empty messages to port 0, are answered. Default: yes. */
  readonly answersPings?: boolean;
  /** Microseconds since 1970, where sequence numbers start. Default: the system's clock. */
  readonly wallClockMicros?: () => number;
}

const OPTIONS: OptionNames<RdsStackOptions> = {
  host: true,
  transports: true,
  semantics: true,
  maxMessageSize: true,
  maxPeers: true,
  maxReceiveMemory: true,
  loopbackCongestion: true,
  answersPings: true,
  wallClockMicros: true,
};

const MIB = 1 << 20;

const SEMANTICS: readonly RdsSemantics[] = ["linux", "document"];

const wrong = (problem: string): Error => rdsError("VERBENA_RDS_OPTION", { details: { of: "RdsStack", problem } });

/** A host's RDS sockets, and what they share: addresses, connections to peers, congestion maps, counters. */
export class RdsStack implements AsyncDisposable {
  /** Transports of this stack, in the order in which they are asked. */
  readonly transports: readonly DatagramTransport[];
  readonly #engine: Engine;
  readonly #context: SocketContext;
  readonly #sockets = new Set<RdsSocket>();
  readonly #servers = new Set<StackServer>();
  readonly #host: RdsHost;
  #closing: Promise<void> | undefined;

  constructor(options: RdsStackOptions) {
    const problem = unknownOption(options, OPTIONS);
    if (problem !== undefined) throw wrong(problem);
    if (options.semantics !== undefined && !SEMANTICS.includes(options.semantics)) {
      throw wrong(`semantics must be one of ${SEMANTICS.join(", ")}, not ${options.semantics}`);
    }
    this.#host = options.host;
    const { host, semantics = "linux", transports = [new LoopTransport()] } = options;
    this.transports = [...transports];
    this.#engine = new Engine({
      semantics,
      maxMessageSize: size("maxMessageSize", options.maxMessageSize ?? MIB, 2 ** 32 - 1),
      maxPeers: size("maxPeers", options.maxPeers ?? 4096, 2 ** 32),
      maxReceiveMemory: size("maxReceiveMemory", options.maxReceiveMemory ?? 256 * MIB, Number.MAX_SAFE_INTEGER),
      loopbackCongestion: options.loopbackCongestion ?? false,
      answersPings: options.answersPings ?? true,
      wallClockMicros: options.wallClockMicros ?? systemMicros,
      clock: host.clock,
      random: host.random,
      logger: host.logger,
    });
    this.#context = {
      clock: host.clock,
      semantics,
      transportNamed: (name) => this.#transportNamed(name),
      transportFor: (local, name) => this.#transportFor(local, name),
      open: (transport, events, isChosen) => this.#open(transport, events, isChosen),
      forget: (socket) => this.#sockets.delete(socket as RdsSocket),
    };
  }

  /** A socket, not yet bound. Throws `VERBENA_RDS_CLOSED`, or what its options give: `VERBENA_RDS_OPTION`, `VERBENA_RDS_EINVAL`, `VERBENA_RDS_ENOPROTOOPT`. */
  createSocket(options: RdsSocketOptions = {}): RdsSocket {
    if (this.#closing !== undefined) throw rdsError("VERBENA_RDS_CLOSED", { details: { what: "stack" } });
    const socket = new RdsSocket(this.#context, options);
    this.#sockets.add(socket);
    return socket;
  }

  /**
   * Lets other processes have sockets on the addresses of this stack: hand each connection over by `accept`. They attach with an
   * {@link AttachTransport}. Closed with the stack. Throws `VERBENA_RDS_CLOSED`, `VERBENA_RDS_OPTION`.
   */
  serve(options: AttachServerOptions = {}): AttachServer {
    if (this.#closing !== undefined) throw rdsError("VERBENA_RDS_CLOSED", { details: { what: "stack" } });
    const stack = {
      host: this.#host,
      engine: this.#engine,
      transportFor: (local: TransportAddress) => this.#transportFor(local, undefined),
      forget: (server: StackServer) => this.#servers.delete(server),
    };
    const server = new StackServer(stack, options);
    this.#servers.add(server);
    return server;
  }

  /** A list of the engine in this process. Sockets on a transport of another kind show that one's by `socket.info()`. */
  info<List extends keyof TransportInfoLists>(list: List): TransportInfoLists[List] {
    checkList(list);
    return listInfo(this.#engine, list);
  }

  /** Closes all sockets and connections; idempotent. Transports and host are their makers' to close. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** As {@link close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #transportNamed(name: string): DatagramTransport {
    const found = this.transports.find((transport) => transport.name === name);
    if (found !== undefined) return found;
    throw errnoError("ENOPROTOOPT", {
      reason: `there is no transport ${JSON.stringify(name)} in this stack: ${this.#names}`,
    });
  }

  #transportFor(local: TransportAddress, name: string | undefined): DatagramTransport {
    if (name !== undefined) {
      const named = this.#transportNamed(name);
      if (named.claims(local)) return named;
      throw errnoError("ENOPROTOOPT", { reason: `transport ${name} does not serve the address ${local.address}` });
    }
    const found = this.transports.find((transport) => transport.claims(local));
    if (found !== undefined) return found;
    throw errnoError("EADDRNOTAVAIL", { address: local.address, transports: this.#names });
  }

  get #names(): string {
    return this.transports.map(({ name }) => name).join(", ") || "none";
  }

  #open(transport: DatagramTransport, events: SocketEvents, isChosen: boolean): SocketBackend {
    return transport.kind === "sockets"
      ? transport.openSocket(events)
      : new EngineSocket(this.#engine, transport, events, isChosen);
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#servers].map((server) => server.close()));
    await Promise.all([...this.#sockets].map((socket) => socket.close()));
    await this.#engine.close();
  }
}

const systemMicros = (): number => (performance.timeOrigin + performance.now()) * 1000;

const size = (name: string, value: number, max: number): number => numberOption("RdsStack", name, value, 1, max);
