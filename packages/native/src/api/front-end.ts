/** How the bytes of clients come and go: through an io_uring, one system call for many of them, or with epoll. */
export type FrontEndIo = "ring" | "epoll";

/** Bounds of a front end. */
export interface FrontEndOptions {
  /** Default `auto`: a ring where the system allows one (Linux 6.1, no filter against it). `ring` throws where it is refused. */
  readonly io?: FrontEndIo | "auto";
  /** Connections; one more is closed as soon as it is accepted. */
  readonly maxClients: number;
  /** Requests of one connection that wait for their reply; reading stops until one is answered. */
  readonly maxOpenRequests: number;
  /** Reply bytes of one connection that the system does not take; above this it is closed. */
  readonly maxUnsentBytes: number;
  /** Bytes of the table of replies, its upkeep included. */
  readonly tableBytes: number;
  /** A batch of events, in order. Replies given meanwhile go out together when it returns. */
  readonly onEvents: (events: readonly FrontEndEvent[]) => void;
  /** The client does not read: hand it nothing more until a `state` says that it does. */
  readonly onStalled: (client: number) => void;
}

/** What happens at a front end. A client is a number, never used twice. */
export type FrontEndEvent =
  /** Comes before everything else about a client, once there is something. */
  | {
      readonly type: "opened";
      readonly client: number;
      readonly kind: "unix" | "tcp";
      readonly pid?: number;
      readonly uid?: number;
    }
  /** A whole message that the table has no reply to. */
  | { readonly type: "request"; readonly client: number; readonly message: Buffer }
  | {
      readonly type: "state";
      readonly client: number;
      /** It has sent a part of a message; `messages` whole ones came before. */
      readonly isIncomplete: boolean;
      readonly messages: number;
      /** The system takes no more of its replies; no more of its requests are read. */
      readonly isStalled: boolean;
      readonly heldBytes: number;
    }
  | { readonly type: "gone"; readonly client: number; readonly reason: string }
  | { readonly type: "refused"; readonly reason: "clients" | "descriptors"; readonly count: number }
  /** A listening socket fails. */
  | { readonly type: "failed"; readonly errno: number }
  /** After `finish`: the last client has gone. */
  | { readonly type: "empty" }
  /** Many hits wait to be fetched. */
  | { readonly type: "hits" };

/** Requests answered from the table since they were last fetched. */
export interface FrontEndHits {
  readonly accounts: readonly { readonly account: number; readonly count: number }[];
  /** One or more for each client; of clients that have gone, too. */
  readonly clients: readonly {
    readonly kind: "unix" | "tcp";
    readonly pid?: number;
    readonly uid?: number;
    readonly count: number;
    /** Since the last of them, milliseconds. */
    readonly idleMs: number;
  }[];
}

/**
 * The socket side of a server of the ACM client protocol, on a thread of its own: it owns listening sockets and clients, cuts what they send
 * into messages (version, opcode and length are judged, nothing else), answers what its table of replies holds, and hands the rest over. Peers
 * of a Unix socket are asked for their credentials.
 */
export interface FrontEnd {
  readonly clientCount: number;
  readonly io: FrontEndIo;
  /** Why `auto` has not become a ring. */
  readonly ringRefusal: { readonly errno: number; readonly syscall: string } | undefined;
  /** Binds a Unix socket and listens. Throws VERBENA_NATIVE_SYSTEM, as the next two do. */
  listenPath(path: string, backlog: number): void;
  /** IPv4; gives the port, which is a free one for 0. */
  listenTcp(host: string, port: number, backlog: number): number;
  /** A bound stream socket, which belongs to the front end from then on. */
  listenDescriptor(fd: number, backlog: number): void;
  /** Nobody new is taken any more; clients stay. */
  closeListeners(): void;
  /** Closes the listening sockets, takes no more requests, and closes each client when it is answered. */
  finish(): void;
  /** Answers a request; nothing happens if the client has gone. The bytes are copied. Goes out with others, before the loop turns. */
  reply(client: number, request: Buffer, bytes: Buffer): void;
  /** Closes one client; what has not been sent is dropped, and there is no `gone`. */
  closeClient(client: number): void;
  /**
   * Keeps the reply for all requests of the same opcode and body: their own transaction id is put into it. `account`: 0 to 65,535, what hits
   * count for; `tags`: up to four numbers below 2^24.
   */
  put(request: Buffer, reply: Buffer, ttlMs: number, account: number, tags: Uint32Array): void;
  /** Once it has returned, nothing that was put with one of the tags before is sent any more. Replies given before go out first. */
  invalidate(tags: Uint32Array): void;
  /** The same for everything. */
  clearTable(): void;
  /** What the table has answered since the last call. */
  takeHits(): FrontEndHits;
  /** Idempotent. Ends the thread and closes every socket at once. */
  close(): Promise<void>;
}
