import type { SocketLimits } from "@verbena/core/sdk";
import { DEFAULT_BUFFER_SIZE } from "../../engine/engine-socket.js";

/** Limits of an attached socket: what was set, as far as the stack allows. */
export class AttachedLimits implements SocketLimits {
  #send = DEFAULT_BUFFER_SIZE;
  #receive = DEFAULT_BUFFER_SIZE;
  #most = Number.POSITIVE_INFINITY;

  /** `onChange`: `isRaised` when there may be room to send now. */
  constructor(private readonly onChange: (isRaised: boolean) => void) {}

  /** The stack allows so many bytes. */
  cap(most: number): void {
    this.#most = most;
  }

  get sendBufferSize(): number {
    return Math.min(this.#send, this.#most);
  }

  set sendBufferSize(bytes: number) {
    const before = this.sendBufferSize;
    this.#send = bytes;
    this.onChange(this.sendBufferSize > before);
  }

  get receiveBufferSize(): number {
    return Math.min(this.#receive, this.#most);
  }

  set receiveBufferSize(bytes: number) {
    this.#receive = bytes;
    this.onChange(false);
  }
}
