import type { Duplex } from "node:stream";
import type { DatagramAddress, DatagramTransport, TransportAddress } from "@verbena/core/sdk";
import type { IpAddress, OptionNames } from "@verbena/ib";
import { unknownOption } from "@verbena/ib";
import type { Engine } from "../../engine/engine.js";
import { errnoError, rdsError } from "../../errors.js";
import { bindableEnd, invalid } from "../../socket/ends.js";
import { addressesOption } from "../../stack/address-option.js";
import { numberOption } from "../../stack/number-option.js";
import type { RdsHost } from "../../stack/rds-host.js";
import type { AttachLink, LinkEvents } from "../link/attach-link.js";
import { StreamLink } from "../link/stream-link.js";
import type { AttachLimits } from "../protocol/server-frames.js";
import type { AttachServer, AttachServerOptions } from "./attach-server.js";
import { type HostedEvents, HostedSocket } from "./hosted-socket.js";
import { Session, type SessionContext } from "./session.js";
import { Turn } from "./turn.js";

const OPTIONS: OptionNames<AttachServerOptions> = { addresses: true, maxSockets: true, maxBufferSize: true };

const MIB = 1 << 20;
/** The least send buffer of a socket. */
const MIN_BUFFER_SIZE = 2304;
/** More than this would not fit where lengths are added up. */
const MAX_BUFFER_SIZE = 1024 * MIB;
const MAX_MESSAGES = 65_536;
const MAX_DESTINATIONS = 4096;

/** What a server needs of its stack. */
export interface AttachStack {
  readonly host: Pick<RdsHost, "clock" | "logger">;
  readonly engine: Engine;
  /** Throws EADDRNOTAVAIL. */
  transportFor(local: TransportAddress): DatagramTransport;
  /** The server is closed. */
  forget(server: StackServer): void;
}

/** An {@link AttachServer} over the engine of a stack. */
export class StackServer implements AttachServer {
  readonly #stack: AttachStack;
  readonly #addresses: ReadonlySet<IpAddress> | undefined;
  readonly #maxSockets: number;
  readonly #sessions = new Set<Session>();
  readonly #context: SessionContext;
  readonly #onMap: (address: TransportAddress) => void;
  #isClosed = false;

  /** Throws `VERBENA_RDS_OPTION`. */
  constructor(stack: AttachStack, options: AttachServerOptions) {
    const problem = unknownOption(options, OPTIONS);
    if (problem !== undefined) throw rdsError("VERBENA_RDS_OPTION", { details: { of: "serve", problem } });
    this.#stack = stack;
    this.#addresses =
      options.addresses === undefined ? undefined : addressesOption("serve", "addresses", options.addresses);
    this.#maxSockets = count("maxSockets", options.maxSockets ?? 1024, 1, 65_536);
    const { engine, host } = stack;
    const turn = new Turn();
    this.#context = {
      clock: host.clock,
      logger: host.logger,
      limits: limitsOf(
        engine,
        count("maxBufferSize", options.maxBufferSize ?? 16 * MIB, MIN_BUFFER_SIZE, MAX_BUFFER_SIZE),
      ),
      turn,
      open: (local, events) => this.#open(local, events),
      forget: (session) => this.#sessions.delete(session),
    };
    this.#onMap = (address) => {
      for (const { program } of this.#sessions) program?.mapChanged(address);
    };
    engine.mapWatchers.add(this.#onMap);
  }

  get sockets(): readonly DatagramAddress[] {
    return [...this.#sessions].flatMap(({ program }) => program?.local ?? []);
  }

  accept(stream: Duplex): void {
    this.attach((events) => new StreamLink(stream, events));
  }

  /** As {@link accept}, of any link. */
  attach(connect: (events: LinkEvents) => AttachLink): void {
    const session = new Session(this.#context, connect);
    if (this.#isClosed) {
      session.destroy();
      return;
    }
    const isFull = this.#sessions.size >= this.#maxSockets;
    this.#sessions.add(session);
    if (isFull) session.refuse(rdsError("VERBENA_RDS_ATTACH_FULL", { details: { limit: this.#maxSockets } }));
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#stack.engine.mapWatchers.delete(this.#onMap);
      for (const session of this.#sessions) session.destroy();
      this.#stack.forget(this);
    }
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #open(wanted: DatagramAddress, events: HostedEvents): HostedSocket {
    const local = bindableEnd(wanted);
    if (local.address !== wanted.address) throw invalid(`${wanted.address} is written ${local.address}`);
    if (local.port === 1) throw invalid("port 1 belongs to the protocol itself");
    if (this.#addresses?.has(local.address) === false) {
      throw errnoError("EADDRNOTAVAIL", { address: local.address, transports: "those offered to other processes" });
    }
    const transport = this.#stack.transportFor(local);
    if (transport.kind === "messages") return new HostedSocket(this.#stack.engine, transport, events);
    // Sockets of a kernel are any process' own to open.
    throw errnoError("EADDRNOTAVAIL", {
      address: local.address,
      transports: `${transport.name}, which cannot be shared`,
    });
  }
}

function limitsOf({ settings }: Engine, maxBufferSize: number): AttachLimits {
  return {
    maxMessageSize: Math.min(settings.maxMessageSize, maxBufferSize),
    maxBufferSize,
    maxMessages: MAX_MESSAGES,
    maxDestinations: MAX_DESTINATIONS,
    emptyNeedsRoom: settings.semantics === "linux",
  };
}

const count = (name: string, value: number, min: number, max: number): number =>
  numberOption("serve", name, value, min, max);
