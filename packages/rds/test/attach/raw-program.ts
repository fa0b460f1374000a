import type { AttachLink } from "../../src/attach/link/attach-link.js";
import { preamble } from "../../src/attach/protocol/frame-parts.js";
import { FrameReader } from "../../src/attach/protocol/frame-reader.js";
import { readServerFrame, type ServerFrame, serverLimit } from "../../src/attach/protocol/server-frames.js";
import type { MemoryLinks } from "./memory-link.js";

/** A program that says to the stack whatever a test wants. */
export class RawProgram {
  /** What the stack has said. */
  readonly frames: ServerFrame[] = [];
  version: number | undefined;
  isClosed = false;
  readonly link: AttachLink;

  constructor(links: MemoryLinks) {
    const reader = new FrameReader({
      version: (version) => {
        this.version = version;
      },
      limit: (type) => serverLimit(type, 1 << 20),
      frame: (type, body) => {
        this.frames.push(readServerFrame(type, body));
      },
    });
    this.link = links.connect({
      received: (bytes) => reader.push(bytes),
      drained: () => undefined,
      closed: () => {
        this.isClosed = true;
      },
    });
  }

  /** Sends these, behind the beginning of every connection. */
  greet(...frames: readonly Buffer[]): this {
    return this.send(preamble(), ...frames);
  }

  send(...frames: readonly Buffer[]): this {
    for (const frame of frames) this.link.send(frame);
    return this;
  }

  get last(): ServerFrame | undefined {
    return this.frames.at(-1);
  }
}
