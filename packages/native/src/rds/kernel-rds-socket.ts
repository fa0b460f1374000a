import type {
  KernelRdsAddress,
  KernelRdsControl,
  KernelRdsInfo,
  KernelRdsMessage,
  KernelRdsReadiness,
  KernelRdsSocket,
} from "../api/rds.js";
import type { RdsSocketBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { errnoName, failure } from "../failure.js";
import type { ReceiveBlock } from "./receive-block.js";
import { encodeControl, readMessage } from "./received.js";
import { decodeSocketAddress, encodeSocketAddress, SocketAddresses } from "./socket-address.js";

const SOL_RDS = 276;
const RDS_CANCEL_SENT_TO = 1;
/** Of epoll. */
const [EPOLLIN, EPOLLOUT, EPOLLERR] = [1, 4, 8];
/** Longest message of the kernel's own senders. */
const DEFAULT_LIMIT = 1 << 20;
/** What `sendmsg` takes (IOV_MAX). */
const MAX_PARTS = 1024;

const readinessOf = (bits: number): KernelRdsReadiness => ({
  readable: (bits & EPOLLIN) !== 0,
  writable: (bits & EPOLLOUT) !== 0,
  failed: (bits & EPOLLERR) !== 0,
});

/** `KernelRdsSocket` over the addon. */
export class OpenKernelRdsSocket implements KernelRdsSocket {
  readonly #addresses = new SocketAddresses();
  #isClosed = false;

  constructor(
    private readonly binding: RdsSocketBinding,
    private readonly block: ReceiveBlock,
    private readonly onClose: (socket: OpenKernelRdsSocket) => void,
  ) {}

  bind(to: KernelRdsAddress): void {
    this.#calling(() => this.binding.bind(encodeSocketAddress(to)));
  }

  connect(to: KernelRdsAddress): void {
    this.#calling(() => this.binding.connect(encodeSocketAddress(to)));
  }

  localAddress(): KernelRdsAddress | undefined {
    const name = decodeSocketAddress(this.#calling(() => this.binding.name(false)));
    // A socket that is connected but not bound has a name without a port.
    return name === undefined || name.port === 0 ? undefined : name;
  }

  remoteAddress(): KernelRdsAddress | undefined {
    this.#mustBeOpen();
    try {
      return decodeSocketAddress(this.binding.name(true));
    } catch (cause) {
      if (errnoName(cause) === "ENOTCONN") return undefined;
      throw failure("VERBENA_NATIVE_RDS", {}, cause);
    }
  }

  send(data: Uint8Array | readonly Uint8Array[], to?: KernelRdsAddress, control?: readonly KernelRdsControl[]): number {
    this.#mustBeOpen();
    const payload = data instanceof Uint8Array || data.length <= MAX_PARTS ? data : Buffer.concat(data);
    return this.binding.send(
      payload,
      to === undefined ? undefined : this.#addresses.encode(to),
      control === undefined || control.length === 0 ? undefined : encodeControl(control),
    );
  }

  receive(options: { readonly limit?: number; readonly peek?: boolean } = {}): KernelRdsMessage | number {
    this.#mustBeOpen();
    const { limit = DEFAULT_LIMIT, peek = false } = options;
    const block = this.block.for(1, limit);
    const count = this.binding.receive(block, 1, limit, peek);
    return count < 0 ? count : readMessage(block, 0, this.#addresses);
  }

  receiveMany(max: number, limit: number = DEFAULT_LIMIT): readonly KernelRdsMessage[] | number {
    this.#mustBeOpen();
    const block = this.block.for(max, limit);
    const count = this.binding.receive(block, max, limit, false);
    return count < 0 ? count : Array.from({ length: count }, (_, i) => readMessage(block, i, this.#addresses));
  }

  setOption(level: number, option: number, value: Uint8Array): void {
    this.#calling(() => this.binding.setOption(level, option, value));
  }

  getOption(level: number, option: number, size: number): Buffer {
    return this.#calling(() => this.binding.getOption(level, option, size));
  }

  cancel(to: KernelRdsAddress): void {
    this.setOption(SOL_RDS, RDS_CANCEL_SENT_TO, encodeSocketAddress(to));
  }

  info(option: number): KernelRdsInfo {
    return this.#calling(() => this.binding.info(option));
  }

  typeOfService(): number {
    return this.#calling(() => this.binding.typeOfService());
  }

  setTypeOfService(value: number): void {
    this.#calling(() => this.binding.typeOfService(value));
  }

  setControlSize(size: number): void {
    this.#calling(() => this.binding.setControlSize(size));
  }

  ready(): KernelRdsReadiness {
    return readinessOf(this.#calling(() => this.binding.poll()));
  }

  onReady(ready: (what: KernelRdsReadiness) => void, failed: (error: Error) => void): void {
    this.#calling(() =>
      this.binding.start(
        (events) => {
          ready(readinessOf(events));
        },
        (cause) => {
          failed(failure("VERBENA_NATIVE_RDS", {}, cause));
        },
      ),
    );
  }

  watch(interest: { readonly readable?: boolean; readonly writable?: boolean }): void {
    this.#mustBeOpen();
    this.binding.watch((interest.readable === true ? EPOLLIN : 0) | (interest.writable === true ? EPOLLOUT : 0));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.binding.close();
    this.onClose(this);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: "the RDS socket" } });
  }

  #calling<T>(call: () => T): T {
    this.#mustBeOpen();
    try {
      return call();
    } catch (cause) {
      throw failure("VERBENA_NATIVE_RDS", {}, cause);
    }
  }
}
