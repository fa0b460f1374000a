import type { BindingError } from "./binding-error.js";

/** One AF_RDS socket. Addresses are a `sockaddr`. Its methods throw with errno EBADF after `close`. */
export interface RdsSocketBinding {
  /** `sendmsg`: the bytes taken, or a negative errno. Copied before the call returns. `data` in parts: at most 1024 of them. */
  send(
    data: Uint8Array | readonly Uint8Array[],
    address: Uint8Array | undefined,
    control: Uint8Array | undefined,
  ): number;
  /**
   * `recvmsg` up to `max` times, at most `limit` bytes of each message, as far as the block has room: the number of records, or a negative errno.
   * Layout of the block: `src/rds/received.ts`. With `peek` the message stays.
   */
  receive(block: Uint8Array, max: number, limit: number, peek: boolean): number;
  /** `bind`. */
  bind(address: Uint8Array): void;
  /** `connect`. */
  connect(address: Uint8Array): void;
  /** `getsockname` or `getpeername`. */
  name(isPeer: boolean): Buffer;
  /** `setsockopt`. */
  setOption(level: number, option: number, value: Uint8Array | undefined): void;
  /** `getsockopt`, at most `size` bytes. */
  getOption(level: number, option: number, size: number): Buffer;
  /** One of RDS_INFO_*; elements of an empty list have size 0. */
  info(option: number): { readonly elementSize: number; readonly bytes: Buffer };
  /** SIOCRDSSETTOS, with a value, and SIOCRDSGETTOS. */
  typeOfService(value?: number): number;
  /** Room for control messages of each message, 0 at first: no such room. */
  setControlSize(size: number): void;
  /** `poll` without waiting: bits of what is the case now. */
  poll(): number;
  /** `onReady` gets epoll's bits of what has happened since the last time, not of what is the case. After `onFailure` it is called no more. */
  start(onReady: (events: number) => void, onFailure: (error: BindingError) => void): void;
  /** What `onReady` is called for, by epoll's bits (1 input, 4 output); 0, as at first, does not keep the loop alive. */
  watch(interest: number): void;
  /** Idempotent. */
  close(): void;
}

/** A listening TCP socket. Its methods throw with errno EBADF after `close`. */
export interface TcpListenerBinding {
  /**
   * Begins to accept; once. After `onTrouble` (out of descriptors or memory) nothing is accepted until `setReading(true)`. Kept from the
   * collector until it is closed.
   */
  start(
    onAccept: (stream: TcpStreamBinding, host: string, scopeId: number, port: number) => void,
    onTrouble: (error: BindingError) => void,
  ): void;
  /** Stops and resumes accepting; what connects meanwhile waits in the kernel. */
  setReading(isReading: boolean): void;
  /** `getsockname`: the port, with which the kernel has replaced 0. */
  localPort(): number;
  /** Idempotent. No callback is called after it. */
  close(): void;
}

/** A TCP connection. Its methods throw with errno EBADF after `close` and `reset`, but for `ackPosition`. */
export interface TcpStreamBinding {
  /**
   * Begins to watch; once. `ready` has the bits 1 readable, 2 writable (while it is watched), 4 bytes were acknowledged, 8 the connection
   * has come about. `onFailure`: it has not. Kept from the collector until it is closed.
   */
  start(onReady: (ready: number) => void, onFailure: (error: BindingError) => void): void;
  /** Off at first. */
  watchWritable(isWatched: boolean): void;
  /** `getsockname`: the port, with which the kernel has replaced 0. */
  localPort(): number;
  /** Bytes read; 0 if none is there, -1 at the end of the stream. After the end and after an error the stream must be closed: it stays ready. */
  read(into: Uint8Array, offset: number, length: number): number;
  /** At most 1024 segments, of the first of which `skip` bytes are left out. The number of bytes that the kernel has taken, 0 too. */
  write(segments: readonly Uint8Array[], skip: number): number;
  /** Bytes written here that the peer's TCP has acknowledged; right after a reset and after `close` too. */
  ackPosition(): number;
  /** Idempotent. What was written still goes out. No callback is called after it. */
  close(): void;
  /** As `close`, but the peer gets a reset, and what is not acknowledged is lost. */
  reset(): void;
}
