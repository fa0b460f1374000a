import type { AttachLink } from "../link/attach-link.js";
import { malformed } from "../protocol/malformed.js";
import { serverFrame } from "../protocol/server-frames.js";
import type { HostedSocket } from "./hosted-socket.js";

/** Counted beside the payload of each message that the process has not read. */
const ENTRY_BYTES = 128;
const MIN_WINDOW = 64 * 1024;
const MAX_WINDOW = 1024 * 1024;

/**
 * Messages on their way to the program. A copy is sent ahead, as many bytes as a window allows, but the message stays in its queue until the program
 * has received it: what the process holds counts as waiting, and the port gets congested as that of a socket in this process does.
 */
export class PushedMessages {
  /** Messages at the head of the queue that the process has. */
  #count = 0;
  #bytes = 0;

  constructor(
    private readonly hosted: HostedSocket,
    private readonly link: AttachLink,
  ) {}

  /** Sends what the window allows. */
  push(): void {
    const window = Math.min(MAX_WINDOW, Math.max(MIN_WINDOW, this.hosted.limits.receiveBufferSize));
    while (this.#bytes < window) {
      const message = this.hosted.waitingAt(this.#count)?.read({});
      if (message === undefined) return;
      this.#count += 1;
      this.#bytes += weight(message.length);
      this.link.send(serverFrame.message(message), message.data);
    }
  }

  /** The program has received so many. Throws `VERBENA_RDS_ATTACH_MALFORMED` for more than it was sent. */
  read(count: number): void {
    if (count > this.#count) throw malformed("a receipt", `${String(count)} messages of ${String(this.#count)}`);
    for (let left = count; left > 0; left -= 1) {
      const message = this.hosted.waitingAt(0);
      if (message === undefined) return;
      this.#count -= 1;
      this.#bytes -= weight(message.length);
      this.hosted.dropOldest();
    }
  }
}

const weight = (length: number): number => length + ENTRY_BYTES;
