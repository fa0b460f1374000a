import type { TcpEndpoint, TcpStream, TcpStreamHandler } from "../api/tcp.js";
import type { TcpStreamBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { failure } from "../failure.js";

/** Bits of what the addon reports. */
const READY = { READABLE: 1, WRITABLE: 2, ACKED: 4, CONNECTED: 8 };

/** `host:port`, for messages. */
export function endpointText({ host, port }: TcpEndpoint): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The addon's connection with coded errors. */
export class NativeTcpStream implements TcpStream {
  readonly local: TcpEndpoint;
  #isClosed = false;

  constructor(
    private readonly binding: TcpStreamBinding,
    local: TcpEndpoint,
    readonly remote: TcpEndpoint,
    private readonly onClose: (stream: NativeTcpStream) => void,
  ) {
    this.local = { ...local, port: binding.localPort() };
  }

  start(handler: TcpStreamHandler): void {
    this.#mustBeOpen();
    try {
      this.binding.start(
        (ready) => this.#report(handler, ready),
        (cause) => handler.onFailure(this.#failure("connection", cause)),
      );
    } catch (cause) {
      throw this.#failure("connection", cause);
    }
  }

  read(into: Uint8Array, offset: number, length: number): number {
    try {
      return this.binding.read(into, offset, length);
    } catch (cause) {
      this.#mustBeOpen();
      throw this.#failure("read", cause);
    }
  }

  write(segments: readonly Uint8Array[], skip: number): number {
    try {
      return this.binding.write(segments, skip);
    } catch (cause) {
      this.#mustBeOpen();
      throw this.#failure("write", cause);
    }
  }

  watchWritable(isWatched: boolean): void {
    this.#mustBeOpen();
    this.binding.watchWritable(isWatched);
  }

  ackPosition(): number {
    return this.binding.ackPosition();
  }

  close(): void {
    this.#end(() => this.binding.close());
  }

  reset(): void {
    this.#end(() => this.binding.reset());
  }

  #end(act: () => void): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    act();
    this.onClose(this);
  }

  /** Acknowledgements first: they make room for what the other two may want to send. Each call may close the stream. */
  #report(handler: TcpStreamHandler, ready: number): void {
    if ((ready & READY.CONNECTED) !== 0) handler.onConnected?.();
    if ((ready & READY.ACKED) !== 0 && !this.#isClosed) handler.onAcked();
    if ((ready & READY.WRITABLE) !== 0 && !this.#isClosed) handler.onWritable();
    if ((ready & READY.READABLE) !== 0 && !this.#isClosed) handler.onReadable();
  }

  #mustBeOpen(): void {
    if (this.#isClosed) {
      throw nativeError("VERBENA_NATIVE_CLOSED", {
        details: { what: `the connection to ${endpointText(this.remote)}` },
      });
    }
  }

  #failure(act: string, cause: unknown): Error {
    return failure("VERBENA_NATIVE_TCP", { what: `${act} ${endpointText(this.remote)}` }, cause);
  }
}
