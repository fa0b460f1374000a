import type { SaClientStats } from "./sa-client-options.js";

/** What became of the tries of a port's SA client. */
export type SaCounts = Pick<
  SaClientStats,
  "sent" | "answered" | "busy" | "timeouts" | "dropped" | "sendErrors" | "refused"
>;

/** The same while it is counted. */
export type MutableSaCounts = { -readonly [K in keyof SaCounts]: number };

export function zeroSaCounts(): MutableSaCounts {
  return { sent: 0, answered: 0, busy: 0, timeouts: 0, dropped: 0, sendErrors: 0, refused: 0 };
}

/** Counts by port; they outlive the client, so a port that went down and came back goes on counting. */
export class SaCountBook {
  readonly #byPort = new Map<string, MutableSaCounts>();

  /** `port`: as `mlx5_0/1`. */
  of(port: string): MutableSaCounts {
    let counts = this.#byPort.get(port);
    if (counts === undefined) {
      counts = zeroSaCounts();
      this.#byPort.set(port, counts);
    }
    return counts;
  }
}
