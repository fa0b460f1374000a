import { decodeNetlinkHeader, NETLINK_HEADER_SIZE, NetlinkLs } from "@verbena/ib";
import type { RdmaNetlink, RdmaNetlinkEvent, RdmaNetlinkOptions } from "@verbena/native";
import { PushQueue } from "./push-queue.js";

/**
 * The kernel at the other end of a NETLINK_RDMA socket: it confirms SET_TIMEOUT, asks what a test has it ask, and keeps the answers.
 * Numbers are in host order, which is that of the machine the test runs on.
 */
export class FakeKernel {
  /** Thrown by the next openings, as by a kernel without RDMA. */
  openError: Error | undefined;
  /** Errno with which SET_TIMEOUT is refused; 0 = confirmed, `undefined` = no reply at all. */
  refusal: number | undefined = 0;
  /** Messages received, SET_TIMEOUT among them. */
  readonly received: Buffer[] = [];
  /** What each opening was given. */
  readonly opened: RdmaNetlinkOptions[] = [];
  readonly #sockets = new Set<PushQueue<RdmaNetlinkEvent>>();
  readonly #waiting = new Map<number, (answer: Buffer) => void>();

  /** Sockets that listen. */
  get listeners(): number {
    return this.#sockets.size;
  }

  /** What `NativeServices.openRdmaNetlink` does. */
  open(options: RdmaNetlinkOptions = {}): RdmaNetlink {
    this.opened.push(options);
    if (this.openError !== undefined) throw this.openError;
    const queue = new PushQueue<RdmaNetlinkEvent>();
    this.#sockets.add(queue);
    const close = (): Promise<void> => {
      this.#sockets.delete(queue);
      queue.end();
      return Promise.resolve();
    };
    return {
      events: () => queue,
      send: (message) => {
        this.#take(Buffer.from(message), queue);
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  /** Sends one datagram to every listener. */
  deliver(bytes: Buffer): void {
    for (const socket of this.#sockets) socket.push({ type: "datagram", bytes });
  }

  /** Sends a request; resolves with the answer of the same sequence number. */
  ask(request: Buffer): Promise<Buffer> {
    return new Promise((resolve) => {
      this.#waiting.set(decodeNetlinkHeader(request).sequence, resolve);
      this.deliver(request);
    });
  }

  /** Datagrams were dropped. */
  overrun(): void {
    for (const socket of this.#sockets) socket.push({ type: "overrun" });
  }

  #take(message: Buffer, from: PushQueue<RdmaNetlinkEvent>): void {
    this.received.push(message);
    const { type, sequence } = decodeNetlinkHeader(message);
    if (type === NetlinkLs.SET_TIMEOUT) {
      if (this.refusal !== undefined) from.push({ type: "datagram", bytes: errorMessage(message, this.refusal) });
      return;
    }
    this.#waiting.get(sequence)?.(message);
    this.#waiting.delete(sequence);
  }
}

/** Header, negative errno, header of the message it is about; as the kernel sends it to who it refuses, or confirms (0). */
function errorMessage(about: Buffer, errno: number): Buffer {
  const message = Buffer.alloc(NETLINK_HEADER_SIZE + 4 + NETLINK_HEADER_SIZE);
  const numbers = new DataView(message.buffer, message.byteOffset, message.length);
  const isLittle = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
  numbers.setUint32(0, message.length, isLittle);
  numbers.setUint16(4, NetlinkLs.ERROR, isLittle);
  about.copy(message, 8, 8, NETLINK_HEADER_SIZE);
  numbers.setInt32(NETLINK_HEADER_SIZE, -errno, isLittle);
  about.copy(message, NETLINK_HEADER_SIZE + 4, 0, NETLINK_HEADER_SIZE);
  return message;
}
