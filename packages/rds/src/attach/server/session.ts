import type { Clock, DatagramAddress, DatagramErrno, Logger } from "@verbena/core/sdk";
import { VerbenaError } from "@verbena/ib";
import type { AttachLink, LinkEvents } from "../link/attach-link.js";
import { type ClientFrame, clientLimit, readClientFrame } from "../protocol/client-frames.js";
import { preamble } from "../protocol/frame-parts.js";
import { FrameReader } from "../protocol/frame-reader.js";
import { ATTACH_VERSION, ERRNOS } from "../protocol/layout.js";
import { malformed } from "../protocol/malformed.js";
import { type AttachLimits, serverFrame } from "../protocol/server-frames.js";
import { HostedProgram } from "./hosted-program.js";
import type { HostedEvents, HostedSocket } from "./hosted-socket.js";
import type { Turn } from "./turn.js";

/** What all sessions of a server share. */
export interface SessionContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: AttachLimits;
  readonly turn: Turn;
  /** A socket for an address. Throws what binding in the server's own process would. */
  open(local: DatagramAddress, events: HostedEvents): HostedSocket;
  /** The session is over. */
  forget(session: Session): void;
}

/** How long a process may take to say what it wants, and to close when it has been cut off, milliseconds. */
const PATIENCE_MS = 5_000;
/** Bytes that wait to leave, beyond which nothing more is taken from the process, and nothing said that can wait. */
const MAX_BACKLOG = 256 * 1024;

/** One connection of an attached process, which is one socket: it lives as long as the connection. */
export class Session implements LinkEvents {
  readonly #context: SessionContext;
  readonly #link: AttachLink;
  readonly #reader: FrameReader;
  #program: HostedProgram | undefined;
  #state: "greeting" | "unbound" | "binding" | "bound" | "over" = "greeting";
  #stopWaiting: () => void;

  constructor(context: SessionContext, connect: (events: LinkEvents) => AttachLink) {
    this.#context = context;
    this.#reader = new FrameReader({
      version: (version) => {
        this.#greeted(version);
      },
      limit: (type) => clientLimit(type, context.limits.maxMessageSize),
      frame: (type, body) => {
        this.#take(readClientFrame(type, body));
      },
    });
    this.#link = connect(this);
    this.#stopWaiting = context.clock.schedule(PATIENCE_MS, () => {
      this.refuse(malformed("nothing", `a bind within ${String(PATIENCE_MS)} ms`));
    });
  }

  /** The socket, once it is bound. */
  get program(): HostedProgram | undefined {
    return this.#program;
  }

  received(bytes: Buffer): void {
    this.#context.turn.run(() => {
      try {
        this.#reader.push(bytes);
      } catch (error) {
        this.refuse(error);
      }
    });
    if (this.#link.backlog > MAX_BACKLOG) this.#link.pause();
  }

  drained(): void {
    this.#link.resume();
    if (this.#program !== undefined) this.#context.turn.note(this.#program);
  }

  closed(error: Error | undefined): void {
    if (error !== undefined) this.#context.logger.debug("connection of an attached process broke", { error });
    this.#end();
  }

  /** Says why, and ends the connection. */
  refuse(error: unknown): void {
    if (this.#state === "over") return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#context.logger.info("an attached process was cut off", { local: this.#program?.local, reason });
    // The other side may be of any version: it gets what every version begins with.
    if (this.#state === "greeting") this.#link.send(preamble());
    this.#cutOff(serverFrame.end(reason));
  }

  /** At once. */
  destroy(): void {
    this.#end();
    this.#link.destroy();
  }

  #cutOff(last: Buffer): void {
    this.#link.send(last);
    this.#link.end();
    this.#end();
    // Whoever does not close its own end holds a descriptor and nothing else, and that not for long.
    this.#stopWaiting = this.#context.clock.schedule(PATIENCE_MS, () => this.#link.destroy());
  }

  #end(): void {
    this.#stopWaiting();
    if (this.#state === "over") return;
    this.#state = "over";
    this.#reader.stop();
    this.#context.turn.run(() => this.#program?.close());
    this.#context.forget(this);
  }

  #greeted(version: number): void {
    this.#link.send(preamble());
    this.#state = "unbound";
    if (version !== ATTACH_VERSION) {
      this.refuse(malformed("a beginning", `version ${String(version)}; this side speaks ${String(ATTACH_VERSION)}`));
      return;
    }
    this.#link.send(serverFrame.welcome(this.#context.limits));
  }

  #take(frame: ClientFrame): void {
    if (this.#state === "unbound" && frame.type === "bind") {
      this.#state = "binding";
      void this.#bind(frame);
    } else if (this.#state === "bound" && frame.type !== "bind") {
      this.#program?.take(frame);
    } else {
      throw malformed(`a frame ${JSON.stringify(frame.type)}`, `the wrong moment (${this.#state})`);
    }
  }

  async #bind({ local, settings }: Extract<ClientFrame, { type: "bind" }>): Promise<void> {
    const { turn } = this.#context;
    try {
      const program = new HostedProgram(this.#link, this.#context, MAX_BACKLOG, (events) =>
        this.#context.open(local, events),
      );
      this.#program = program;
      program.set(settings);
      const bound = await program.bind(local);
      // A cut may have come meanwhile; it has closed the socket.
      if (this.#isOver()) return;
      this.#stopWaiting();
      this.#state = "bound";
      this.#context.logger.info("a process has attached", { local: bound, transport: program.transport });
      this.#link.send(serverFrame.bound(bound, program.transport));
      turn.note(program);
    } catch (error) {
      if (this.#isOver()) return;
      this.#cutOff(serverFrame.refused(errnoName(error), error instanceof Error ? error.message : String(error)));
    }
  }

  /** A call, for what it is asked of may have changed meanwhile. */
  #isOver(): boolean {
    return this.#state === "over";
  }
}

/** The errno that an error's code ends in. */
function errnoName(error: unknown): DatagramErrno | undefined {
  if (!VerbenaError.is(error)) return undefined;
  return ERRNOS.find((name) => name !== undefined && error.code === `VERBENA_RDS_${name}`);
}
