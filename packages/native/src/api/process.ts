/** Credentials of the process at the other end of a Unix socket (SO_PEERCRED). */
export interface PeerCredentials {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
}

/** A descriptor handed over by systemd (`LISTEN_FDS`), classified by looking at the socket itself. */
export interface PassedDescriptor {
  readonly fd: number;
  /** From `LISTEN_FDNAMES`; empty when not named. */
  readonly name: string;
  readonly kind: "unix-stream-listener" | "tcp-listener" | "netlink-rdma" | "unknown";
}

/** An exclusive lock on a file for the life of the process (`lockf`). */
export interface FileLock {
  /** Replaces the file's content (the process id and a newline), without truncating first. */
  write(text: string): void;
  /** Gives the lock up; the file stays. Idempotent. */
  release(): void;
}

/** Small services of the operating system that Node does not offer. */
export interface ProcessService {
  /** `undefined` when the socket has none (TCP). */
  peerCredentials(fd: number): PeerCredentials | undefined;
  /** Descriptors passed by systemd for this process; empty otherwise. */
  passedDescriptors(): readonly PassedDescriptor[];
  /** Sends `READY=1` and the like to `NOTIFY_SOCKET`; false when there is none. */
  notify(state: string): boolean;
  /** `undefined` when another process holds the lock. Opens read-write/create with mode 0640. */
  tryLockFile(path: string): FileLock | undefined;
}
