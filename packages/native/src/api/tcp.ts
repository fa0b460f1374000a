/** One end of a TCP connection. */
export interface TcpEndpoint {
  /** Numeric address, IPv4 or IPv6, without a scope. */
  readonly host: string;
  /** 0 of a local end: the kernel chooses. */
  readonly port: number;
  /** Index of the interface of a link-local IPv6 address; 0 or absent for every other. */
  readonly scopeId?: number;
}

/** What a {@link TcpStream} reports. Called from the event loop, never from inside a call to the stream. */
export interface TcpStreamHandler {
  /** A connection begun by `connect` has come about. Not called for one that was accepted. */
  onConnected?(): void;
  /** There are bytes, the end, or an error to read: MUST read, until 0 or a negative number or a rejection, then or in a later turn. */
  onReadable(): void;
  /** There is room again, after `watchWritable(true)`. */
  onWritable(): void;
  /** The peer has acknowledged bytes: see `ackPosition`. */
  onAcked(): void;
  /** The connection has not come about (`VERBENA_NATIVE_TCP` with the errno). The stream MUST be closed. */
  onFailure(error: Error): void;
}

/**
 * One TCP connection, without buffers of its own: the caller reads into its own memory when there is something, and writes what the
 * kernel takes. No delay (TCP_NODELAY); probed after 5 s of silence, each 5 s, given up after 5 probes.
 *
 * Methods throw `VERBENA_NATIVE_TCP` with the errno for a connection that has failed and `VERBENA_NATIVE_CLOSED` after the close.
 */
export interface TcpStream {
  /** Of the connection's two ends; `port` of the local one is the real one. */
  readonly local: TcpEndpoint;
  readonly remote: TcpEndpoint;
  /** Begins to watch; once. */
  start(handler: TcpStreamHandler): void;
  /**
   * Bytes read into `into` from `offset` on, at most `length` (1 or more); 0 if none is there at present; -1 at the end of the stream.
   * After a reset by the peer it gives what came before it first, and then throws.
   */
  read(into: Uint8Array, offset: number, length: number): number;
  /**
   * Hands bytes to the kernel: those of the segments, in order, without the first `skip` of the first one. Gives how many it took, which
   * may be any number down to 0; segments beyond 1024 are not looked at. The caller keeps the rest, and its place in it.
   */
  write(segments: readonly Uint8Array[], skip: number): number;
  /** Whether `onWritable` is called. Off at first. */
  watchWritable(isWatched: boolean): void;
  /**
   * Bytes written here that the peer's TCP has acknowledged: written, less SIOCOUTQ. It stays right after the peer's reset and after the
   * close of this stream, when it is final.
   */
  ackPosition(): number;
  /** Idempotent. What was written still goes out. */
  close(): void;
  /** Idempotent. The peer gets a reset (SO_LINGER 0), and what is not acknowledged yet is lost. */
  reset(): void;
}

/** What a {@link TcpListener} reports. */
export interface TcpListenerHandler {
  /** The stream belongs to the handler, which MUST start or close it. */
  onAccept(stream: TcpStream): void;
  /** Nothing can be accepted at present (out of descriptors or memory), nor will be before `resume`. */
  onTrouble(error: Error): void;
}

/** A listening socket of one address. */
export interface TcpListener {
  /** With the real port. */
  readonly local: TcpEndpoint;
  /** Accepts again after `onTrouble`. Throws `VERBENA_NATIVE_CLOSED`. */
  resume(): void;
  /** Idempotent. Connections that were accepted stay. */
  close(): void;
}

/** TCP sockets whose descriptors belong to the addon, so that the acknowledged position can be read to the very end. */
export interface TcpService {
  /** Throws `VERBENA_NATIVE_TCP` (EADDRINUSE, EADDRNOTAVAIL, EINVAL for a host that is not numeric), `VERBENA_NATIVE_CLOSED` once the services are closed. */
  listen(local: TcpEndpoint, handler: TcpListenerHandler, backlog?: number): TcpListener;
  /** Begins to connect; what becomes of it is told to the handler. Throws `VERBENA_NATIVE_TCP` if it cannot even begin, `VERBENA_NATIVE_CLOSED` once the services are closed. */
  connect(local: TcpEndpoint, remote: TcpEndpoint, handler: TcpStreamHandler): TcpStream;
}
