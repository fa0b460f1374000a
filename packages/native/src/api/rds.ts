import type { IpAddress } from "@verbena/ib";

/** An address of the kernel's RDS. */
export interface KernelRdsAddress {
  readonly address: IpAddress;
  /** 0 to 65535. */
  readonly port: number;
  /** Index of the interface of a link-local IPv6 address; 0 and absent: none. */
  readonly scopeId?: number;
}

/** A control message as the kernel gives and takes it. */
export interface KernelRdsControl {
  readonly level: number;
  readonly type: number;
  readonly data: Buffer;
}

/** What one `recvmsg` gave. */
export interface KernelRdsMessage {
  /** A copy, as long as the caller's limit allows. */
  readonly data: Buffer;
  /** Bytes of the whole message. */
  readonly length: number;
  /** Absent: no message but a notification. */
  readonly source?: KernelRdsAddress;
  /** MSG_TRUNC: the message is longer than what was copied. */
  readonly isTruncated: boolean;
  /** MSG_CTRUNC: control messages have been dropped for want of room. */
  readonly isControlTruncated: boolean;
  readonly control: readonly KernelRdsControl[];
}

/** One list of RDS_INFO_*, in the kernel's layout. */
export interface KernelRdsInfo {
  /** Bytes of one entry; 0 when there are none. */
  readonly elementSize: number;
  readonly bytes: Buffer;
}

/** What is the case, or what has happened since it was last told. */
export interface KernelRdsReadiness {
  readonly readable: boolean;
  readonly writable: boolean;
  /** An error of the socket, or its error queue. */
  readonly failed: boolean;
}

/**
 * An AF_RDS socket of the kernel that never blocks. `send` and `receive` give errno as a negative number, since an application meets
 * EAGAIN and ENOBUFS all the time; everything else throws `VERBENA_NATIVE_RDS` with `errno` and `syscall`.
 * After `close` all methods throw `VERBENA_NATIVE_CLOSED`.
 */
export interface KernelRdsSocket extends Disposable {
  /** `bind(2)`. Port 0: the kernel chooses. */
  bind(to: KernelRdsAddress): void;
  /** `connect(2)`: the default destination. */
  connect(to: KernelRdsAddress): void;
  /** `undefined` before `bind`. */
  localAddress(): KernelRdsAddress | undefined;
  /** `undefined` before `connect`. */
  remoteAddress(): KernelRdsAddress | undefined;
  /** `sendmsg(2)`: the bytes taken, or a negative errno. The bytes are copied before it returns. */
  send(data: Uint8Array | readonly Uint8Array[], to?: KernelRdsAddress, control?: readonly KernelRdsControl[]): number;
  /** `recvmsg(2)`: the next message or notification, or a negative errno. `limit` (default 1 MiB): bytes to copy. */
  receive(options?: { readonly limit?: number; readonly peek?: boolean }): KernelRdsMessage | number;
  /** Up to `max` of what waits, or a negative errno if nothing does. */
  receiveMany(max: number, limit?: number): readonly KernelRdsMessage[] | number;
  /** `setsockopt(2)`, raw. */
  setOption(level: number, option: number, value: Uint8Array): void;
  /** `getsockopt(2)`, raw, at most `size` bytes. */
  getOption(level: number, option: number, size: number): Buffer;
  /** RDS_CANCEL_SENT_TO: drops what is queued for one destination. */
  cancel(to: KernelRdsAddress): void;
  /** A list of RDS_INFO_* of the kernel, by its number 10000 to 10017. */
  info(option: number): KernelRdsInfo;
  /** SIOCRDSGETTOS. */
  typeOfService(): number;
  /** SIOCRDSSETTOS. */
  setTypeOfService(value: number): void;
  /** Bytes for control messages of each received message, 0 to 4096; 0 (default) has the kernel leave them out. */
  setControlSize(size: number): void;
  /** What is the case now. A port that is free again counts as readable. */
  ready(): KernelRdsReadiness;
  /** Hears of what happens, for as long as `watch` asks for it. Called once. */
  onReady(ready: (what: KernelRdsReadiness) => void, failed: (error: Error) => void): void;
  /** What to be told of. Nothing, as at first: the socket does not keep the process alive. */
  watch(interest: { readonly readable?: boolean; readonly writable?: boolean }): void;
  /** Idempotent. What is queued but not acknowledged is dropped by the kernel. */
  close(): void;
}

/** RDS sockets of the kernel. */
export interface KernelRdsService {
  /** Throws `VERBENA_NATIVE_RDS`; EAFNOSUPPORT: the module is not loaded. */
  open(): KernelRdsSocket;
}
