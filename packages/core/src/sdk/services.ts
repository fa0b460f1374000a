import type { Gid } from "@verbena/ib";
import type { Context, UmadService, VerbsContext } from "@verbena/native";

/** Structured logger. The default does nothing; a library never configures process-wide logging. */
export interface Logger {
  /** For who looks for a fault. */
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Normal life. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Something is not as it should be, work goes on. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Something does not work. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A logger that adds `fields` to every line. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

/** Monotonic time. The only source of time in the core and in providers; tests advance a virtual one. */
export interface Clock {
  /** Milliseconds from an arbitrary start, never going back. */
  now(): number;
  /** Runs `callback` after `delayMs`; the returned function cancels. Does not keep the process alive. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** A random number in [0, 1). */
export type Random = () => number;

/** Counters by name; the default does nothing. */
export interface Metrics {
  /** Adds `by` (default 1) to a counter. */
  increment(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Notes one value of a distribution, in the unit the name ends with. */
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
}

/** One query of the subnet administrator. `record` is the attribute's record in wire form, `componentMask` says which fields count. */
export interface SaQuery {
  readonly method: "get" | "set" | "delete" | "getTable";
  readonly attributeId: number;
  readonly attributeModifier?: number;
  readonly componentMask: bigint;
  readonly record: Uint8Array;
  readonly signal?: AbortSignal;
  /** From now, milliseconds. Default: (retries + 1) × timeout of the options. */
  readonly deadlineMs?: number;
  readonly requestId?: string;
}

/** What the SA said. `status` is the MAD status in host form: 0, or 0xNN00 for SA codes. BUSY never arrives here: it is retried. */
export interface SaResponse {
  readonly status: number;
  /** Record bytes: one for get/set/delete (also the echoed one of a failure), any number for getTable. */
  readonly records: readonly Buffer[];
}

/**
 * The port's way to the SA: windowed, retried, matched by transaction id and generation.
 * Rejects with VERBENA_SA_TIMEOUT, VERBENA_SA_ABORTED, VERBENA_SA_STALE (port or SM changed meanwhile), VERBENA_SA_CLOSED.
 */
export interface SaService {
  /** One question, one answer; a status other than 0 is an answer. */
  query(query: SaQuery): Promise<SaResponse>;
}

/** The port's memberships in multicast groups, which belong to the port and not to who asked for them. */
export interface GroupMemberships {
  /**
   * Says that the port is a member of the group on the caller's behalf, before it joins; the function returned gives that up. Providers MUST NOT leave a group
   * themselves: the core does some time after the last one of this process, over reloads, has given it up, unless the process ends.
   */
  hold(mgid: Gid): () => void;
  /**
   * Settles when the port is no longer just being taken out of the group, after a second at most once somebody holds it again; `undefined`: it is not. Never
   * rejects. Providers MUST wait for it after `hold()` and before each join: the SA might hear of the leaving last.
   */
  leaving(mgid: Gid): Promise<void> | undefined;
}

/** What belongs to a port, given to `openPort`. */
export interface PortServices {
  readonly sa: SaService;
  readonly umad: UmadService;
  /** Absent where verbs has no such device (ibsim). */
  readonly verbs?: VerbsContext;
  /**
   * The same open device, with everything that can be made of it: queue pairs, completion queues, memory. Absent where verbs has no such device, and
   * where the native side that the host was given can do no more than queries. Providers MUST NOT close it, nor read its events; what they make of it is
   * theirs to close, and is closed with the device. Since SDK 1.2.
   */
  readonly rdma?: Context;
  /** Since SDK 1.3. */
  readonly memberships: GroupMemberships;
  readonly logger: Logger;
}
