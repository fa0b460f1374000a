import type { OptionNames } from "@verbena/ib";

/** What one server holds for its clients. Every bound has a default; see `docs/limits.md`. */
export interface AcmServerLimits {
  /** Connections; one more is closed as soon as it is accepted. Lowered to what the process's limit on descriptors leaves. */
  readonly maxClients: number;
  /** How long an incomplete message is held, milliseconds from its first byte. */
  readonly incompleteMs: number;
  /** Requests of one connection that wait for their reply; reading stops until one is answered. */
  readonly maxOpenRequests: number;
  /** Reply bytes of one connection that the system does not take; above this it is closed at once. */
  readonly maxUnsentBytes: number;
  /** How long a connection may leave its replies unread once the system takes no more of them, milliseconds. */
  readonly unreadMs: number;
  /** Bytes held for all connections that do not read, together; above this the one that has stalled longest is closed. */
  readonly maxStalledBytes: number;
  /** How long `close` waits for replies under way, milliseconds. */
  readonly closeMs: number;
  /** Bytes of the table from which the native front end answers without asking the engine; the server in TypeScript has none. */
  readonly replyTableBytes: number;
}

/** The defaults. */
export const DEFAULT_ACM_SERVER_LIMITS: AcmServerLimits = {
  maxClients: 16_384,
  incompleteMs: 30_000,
  maxOpenRequests: 256,
  maxUnsentBytes: 1_048_576,
  unreadMs: 30_000,
  maxStalledBytes: 33_554_432,
  closeMs: 1_000,
  replyTableBytes: 67_108_864,
};

/** All of them, for the check of their names. */
export const LIMIT_NAMES: OptionNames<AcmServerLimits> = {
  maxClients: true,
  incompleteMs: true,
  maxOpenRequests: true,
  maxUnsentBytes: true,
  unreadMs: true,
  maxStalledBytes: true,
  closeMs: true,
  replyTableBytes: true,
};

/** Descriptors kept for everything but clients: ports, files, the control socket. */
const RESERVED_DESCRIPTORS = 128;

/**
 * Clients that fit into `nofile`, the process's limit on open files. Beyond it the system's event loop would close new connections
 * by itself and tell nobody.
 */
export function clientsWithin(maxClients: number, nofile: number | undefined): number {
  if (nofile === undefined) return maxClients;
  return Math.min(maxClients, Math.max(1, nofile - Math.min(RESERVED_DESCRIPTORS, Math.floor(nofile / 2))));
}

/** The soft limit of a text of the form of `/proc/self/limits`; `undefined` when it has none. */
export function openFilesLimit(text: string): number | undefined {
  const soft = /^Max open files\s+(\d+)\s/m.exec(text)?.[1];
  return soft === undefined ? undefined : Number(soft);
}
