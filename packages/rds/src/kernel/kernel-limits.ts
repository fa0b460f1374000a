import type { KernelRdsSocket, SocketLimits } from "@verbena/core/sdk";
import { kernelError } from "./failures.js";
import { hostInt, readHostInt } from "./host-order.js";
import { LEVEL, OPTION } from "./numbers.js";

/** Buffer sizes of a kernel's socket in payload bytes. The kernel counts the double, to have room for its own structures. */
export class KernelLimits implements SocketLimits {
  constructor(
    private readonly socket: KernelRdsSocket,
    private readonly isForced: boolean,
  ) {}

  get sendBufferSize(): number {
    return this.#get(OPTION.sendBuffer);
  }

  set sendBufferSize(size: number) {
    this.#set(this.isForced ? OPTION.sendBufferForce : OPTION.sendBuffer, size);
  }

  get receiveBufferSize(): number {
    return this.#get(OPTION.receiveBuffer);
  }

  set receiveBufferSize(size: number) {
    this.#set(this.isForced ? OPTION.receiveBufferForce : OPTION.receiveBuffer, size);
  }

  #get(option: number): number {
    return readHostInt(this.socket.getOption(LEVEL.socket, option, 4), 0) / 2;
  }

  /** Doubled it must still fit in an `int`. */
  #set(option: number, size: number): void {
    try {
      this.socket.setOption(LEVEL.socket, option, hostInt(Math.min(size, 0x3fff_ffff)));
    } catch (cause) {
      throw kernelError(cause, `cannot set a buffer to ${size} bytes`);
    }
  }
}
