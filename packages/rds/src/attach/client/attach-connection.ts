import type { DatagramAddress } from "@verbena/core/sdk";
import { errnoError, rdsError } from "../../errors.js";
import type { AttachLink, LinkEvents } from "../link/attach-link.js";
import { type AttachSettings, clientFrame } from "../protocol/client-frames.js";
import { preamble } from "../protocol/frame-parts.js";
import { FrameReader } from "../protocol/frame-reader.js";
import { ATTACH_VERSION } from "../protocol/layout.js";
import { malformed } from "../protocol/malformed.js";
import { type AttachLimits, readServerFrame, type ServerFrame, serverLimit } from "../protocol/server-frames.js";
import type { AttachContext } from "./attach-context.js";

/** How long the stack may take to bind, milliseconds. */
const PATIENCE_MS = 10_000;
/** How long it may take to close, milliseconds. */
const CLOSE_MS = 1_000;

/** The stack has bound the socket. */
export interface Bound {
  readonly local: DatagramAddress;
  readonly transport: string;
  readonly limits: AttachLimits;
}

/** Frames of a socket that is bound. */
export type NewsFrame = Extract<ServerFrame, { readonly type: "message" | "released" | "state" | "freed" | "info" }>;

/** Who is told what comes over a connection. */
export interface ConnectionOwner {
  /** What is to hold from the start, as far as these limits allow. */
  settings(limits: AttachLimits): AttachSettings;
  /** Before anything else is told. */
  bound(connection: AttachConnection, bound: Bound): void;
  news(frame: NewsFrame, connection: AttachConnection): void;
  /** It is over, after it was bound. Told once, and not of one that was closed by its owner. */
  lost(error: Error): void;
}

/** What was asked for. */
interface Wanted {
  readonly local: DatagramAddress;
  resolve(local: DatagramAddress): void;
  reject(error: Error): void;
}

/** One connection to the stack, from its greeting to its end. */
export class AttachConnection implements LinkEvents {
  readonly #context: AttachContext;
  readonly #owner: ConnectionOwner;
  readonly #reader: FrameReader;
  readonly #link: AttachLink;
  #limits: AttachLimits | undefined;
  /** What answers speaks the attach protocol. */
  #isGreeted = false;
  #isBound = false;
  #isOver = false;
  #wanted: Wanted | undefined;
  #settleClose: (() => void) | undefined;

  constructor(context: AttachContext, owner: ConnectionOwner) {
    this.#context = context;
    this.#owner = owner;
    this.#reader = new FrameReader({
      version: (version) => {
        this.#isGreeted = true;
        if (version === ATTACH_VERSION) return;
        throw rdsError("VERBENA_RDS_ATTACH_VERSION", {
          details: { path: context.path, theirs: version, ours: ATTACH_VERSION },
        });
      },
      limit: (type) => serverLimit(type, this.#limits?.maxMessageSize ?? 0),
      frame: (type, body) => {
        this.#take(readServerFrame(type, body));
      },
    });
    this.#link = context.connect(this);
  }

  /** Asks for a socket. Called once. Rejects with what binding gives, or `VERBENA_RDS_ATTACH_…`; the connection is over then. */
  async bind(local: DatagramAddress): Promise<DatagramAddress> {
    const { path } = this.#context;
    const stopWaiting = this.#context.clock.schedule(PATIENCE_MS, () => {
      this.#fail(unreachable(path, this.#silence(`no answer within ${String(PATIENCE_MS)} ms`)));
    });
    try {
      return await new Promise<DatagramAddress>((resolve, reject) => {
        this.#wanted = { local, resolve, reject };
        this.#link.send(preamble());
      });
    } finally {
      stopWaiting();
    }
  }

  send(frame: Buffer): void {
    if (!this.#isOver) this.#link.send(frame);
  }

  /** Sends what waits and waits for the stack to close its end: the port is free then. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reader.stop();
    this.#wanted?.reject(rdsError("VERBENA_RDS_CLOSED", { details: { what: "socket" } }));
    await new Promise<void>((resolve) => {
      const stopWaiting = this.#context.clock.schedule(CLOSE_MS, () => {
        this.#link.destroy();
        resolve();
      });
      this.#settleClose = () => {
        stopWaiting();
        resolve();
      };
      this.#link.end();
    });
  }

  received(bytes: Buffer): void {
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.#fail(error instanceof Error ? error : malformed("a frame", String(error)));
    }
  }

  drained(): void {
    // What waits to leave is bounded by what a socket may send unacknowledged.
  }

  closed(error: Error | undefined): void {
    this.#settleClose?.();
    const isConnecting = error !== undefined && "syscall" in error && error.syscall === "connect";
    const reason = error?.message ?? "it has closed the connection";
    this.#fail(unreachable(this.#context.path, isConnecting ? reason : this.#silence(reason), error));
  }

  /** The reason, with what it means where not even the greeting has come. */
  #silence(reason: string): string {
    return this.#isGreeted
      ? reason
      : `${reason}, without a greeting; either it is not an RDS socket, or its process cannot serve now`;
  }

  #take(frame: ServerFrame): void {
    switch (frame.type) {
      case "welcome":
        return this.#welcome(frame.limits);
      case "bound":
        return this.#bound(frame);
      case "refused":
        throw this.#refusal(frame);
      case "end":
        throw rdsError("VERBENA_RDS_ATTACH_REFUSED", { details: { path: this.#context.path, reason: frame.reason } });
      default:
        if (!this.#isBound) throw malformed(`a frame ${JSON.stringify(frame.type)}`, "the wrong moment");
        return this.#owner.news(frame, this);
    }
  }

  #welcome(limits: AttachLimits): void {
    if (this.#limits !== undefined || this.#wanted === undefined) throw malformed("a welcome", "the wrong moment");
    this.#limits = limits;
    this.#link.send(clientFrame.bind(this.#wanted.local, this.#owner.settings(limits)));
  }

  #bound({ local, transport }: Extract<ServerFrame, { type: "bound" }>): void {
    if (this.#limits === undefined || this.#isBound) throw malformed("a bind", "the wrong moment");
    this.#isBound = true;
    this.#owner.bound(this, { local, transport, limits: this.#limits });
    this.#wanted?.resolve(local);
  }

  #refusal({ errno, reason }: Extract<ServerFrame, { type: "refused" }>): Error {
    const { path } = this.#context;
    if (errno === undefined) return rdsError("VERBENA_RDS_ATTACH_REFUSED", { details: { path, reason } });
    const address = this.#wanted?.local.address;
    return errnoError(errno, { reason, address, transports: `those of the stack at ${path}` });
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reader.stop();
    this.#link.destroy();
    if (this.#isBound) this.#owner.lost(error);
    else this.#wanted?.reject(error);
  }
}

function unreachable(path: string, reason: string, cause?: unknown): Error {
  return rdsError("VERBENA_RDS_ATTACH_UNREACHABLE", { details: { path, reason }, cause });
}
