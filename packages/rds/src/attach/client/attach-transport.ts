import { connect } from "node:net";
import type { SocketBackend, SocketEvents, SocketTransport, TransportAddress } from "@verbena/core/sdk";
import { type IpAddress, type OptionNames, unknownOption } from "@verbena/ib";
import { rdsError } from "../../errors.js";
import { keepAlive } from "../../keep-alive.js";
import { addressesOption } from "../../stack/address-option.js";
import type { RdsHost } from "../../stack/rds-host.js";
import { StreamLink } from "../link/stream-link.js";
import type { AttachContext, AttachEvent } from "./attach-context.js";
import { AttachedSocket } from "./attached-socket.js";

/** How a process attaches to the stack of another. */
export interface AttachTransportOptions {
  /** The Unix socket at which the stack answers, such as the one of `verbena serve --rds`. */
  readonly path: string;
  /** Local addresses asked of the stack. Default: all that no transport in front of this one serves. */
  readonly addresses?: readonly IpAddress[];
  /** Told what happens to the sockets of this transport beside what their calls tell. Must not throw. */
  readonly onEvent?: (event: AttachEvent) => void;
}

const OPTIONS: OptionNames<AttachTransportOptions> = { path: true, addresses: true, onEvent: true };

/**
 * RDS sockets of a stack in another process of this host, so that any number of processes share its addresses. API and guarantees are those of a
 * socket of the stack's own process, but for the end of that process: see `docs/rds-attach.md`.
 */
export class AttachTransport implements SocketTransport {
  /** Sockets are of another process' making. */
  readonly kind = "sockets";
  /** To choose it by; a bound socket has the name of the stack's transport. */
  readonly name = "attach";
  readonly #addresses: ReadonlySet<IpAddress> | undefined;
  readonly #context: AttachContext;

  /** Throws `VERBENA_RDS_OPTION`. Connects when sockets are bound. */
  constructor(
    { clock, random, logger }: Pick<RdsHost, "clock" | "random" | "logger">,
    options: AttachTransportOptions,
  ) {
    const problem = unknownOption(options, OPTIONS);
    if (problem !== undefined) throw rdsError("VERBENA_RDS_OPTION", { details: { of: "AttachTransport", problem } });
    const { path, addresses, onEvent = () => undefined } = options;
    // A number would be a port of TCP.
    if (typeof path !== "string" || path === "") {
      throw rdsError("VERBENA_RDS_OPTION", {
        details: { of: "AttachTransport", problem: "path must name the Unix socket of a stack" },
      });
    }
    this.#addresses = addresses === undefined ? undefined : addressesOption("AttachTransport", "addresses", addresses);
    this.#context = {
      clock,
      random,
      logger,
      path,
      connect: (events) => new StreamLink(connect(path), events),
      keepAlive,
      onEvent,
    };
  }

  /** All addresses, or those of the options: which the stack serves, it tells when a socket is bound. */
  claims({ address }: TransportAddress): boolean {
    return this.#addresses?.has(address) ?? true;
  }

  /** A socket that connects when it is bound. */
  openSocket(events: SocketEvents): SocketBackend {
    return new AttachedSocket(this.#context, events);
  }
}
