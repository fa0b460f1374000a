import type { Clock, Logger, Random } from "@verbena/core/sdk";

/** Whose rules hold where Linux and the manual differ. */
export type RdsSemantics = "linux" | "document";

/** What an engine keeps to. */
export interface EngineSettings {
  readonly semantics: RdsSemantics;
  /** Largest message sent, payload bytes. */
  readonly maxMessageSize: number;
  /** Peers per local address, those included that came forward themselves. */
  readonly maxPeers: number;
  /**
   * Memory of what waits on the sockets of one local address, payload and bookkeeping, bytes. From half of it on all ports of the address are
   * congested. What comes beyond it is dropped if its peer has gone on sending all the same.
   */
  readonly maxReceiveMemory: number;
  /** Ports of 127/8 and ::1 get congested as others do. Linux never marks them. */
  readonly loopbackCongestion: boolean;
  /** Pings are answered. */
  readonly answersPings: boolean;
  /** Microseconds since 1970; sequence numbers start there, so that a restarted host is not taken for its former self. */
  readonly wallClockMicros: () => number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
