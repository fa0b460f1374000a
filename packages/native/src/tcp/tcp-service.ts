import type {
  TcpEndpoint,
  TcpListener,
  TcpListenerHandler,
  TcpService,
  TcpStream,
  TcpStreamHandler,
} from "../api/tcp.js";
import type { NativeBinding, TcpListenerBinding } from "../binding.js";
import { nativeError } from "../errors.js";
import { calling, failure } from "../failure.js";
import { endpointText, NativeTcpStream } from "./tcp-stream.js";

/** As many as the kernel's own listener of RDS keeps waiting. */
const BACKLOG = 64;

/** TCP of the addon. Knows what is open, so that closing the services closes it. */
export class NativeTcpService implements TcpService {
  readonly #open = new Set<{ close(): void }>();
  #isClosed = false;

  constructor(private readonly binding: NativeBinding) {}

  listen(local: TcpEndpoint, handler: TcpListenerHandler, backlog = BACKLOG): TcpListener {
    this.#mustBeOpen();
    const what = `listener ${endpointText(local)}`;
    const binding = calling("VERBENA_NATIVE_TCP", { what }, () =>
      this.binding.listenTcp(local.host, local.scopeId ?? 0, local.port, backlog),
    );
    const bound = { ...local, port: binding.localPort() };
    binding.start(
      (accepted, host, scopeId, port) => {
        const remote = { host, port, ...(scopeId === 0 ? {} : { scopeId }) };
        handler.onAccept(this.#keep(new NativeTcpStream(accepted, bound, remote, this.#forget)));
      },
      (cause) => handler.onTrouble(failure("VERBENA_NATIVE_TCP", { what }, cause)),
    );
    return this.#keep(new NativeTcpListener(bound, binding, this.#forget));
  }

  connect(local: TcpEndpoint, remote: TcpEndpoint, handler: TcpStreamHandler): TcpStream {
    this.#mustBeOpen();
    const binding = calling("VERBENA_NATIVE_TCP", { what: `connection ${endpointText(remote)}` }, () =>
      this.binding.connectTcp(
        local.host,
        local.scopeId ?? 0,
        local.port,
        remote.host,
        remote.scopeId ?? 0,
        remote.port,
      ),
    );
    const stream = this.#keep(new NativeTcpStream(binding, local, remote, this.#forget));
    stream.start(handler);
    return stream;
  }

  /** Closes all listeners and connections; idempotent. */
  close(): void {
    this.#isClosed = true;
    for (const open of [...this.#open]) open.close();
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: "the TCP service" } });
  }

  #keep<T extends { close(): void }>(open: T): T {
    this.#open.add(open);
    return open;
  }

  readonly #forget = (closed: { close(): void }): void => {
    this.#open.delete(closed);
  };
}

class NativeTcpListener implements TcpListener {
  #isClosed = false;

  constructor(
    readonly local: TcpEndpoint,
    private readonly binding: TcpListenerBinding,
    private readonly onClose: (listener: NativeTcpListener) => void,
  ) {}

  resume(): void {
    if (this.#isClosed) {
      throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: `the listener ${endpointText(this.local)}` } });
    }
    this.binding.setReading(true);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.binding.close();
    this.onClose(this);
  }
}
