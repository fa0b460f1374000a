/**
 * How the daemon gets on with the kernel. `off`: not wanted (configuration, or a node of a simulated fabric). `starting`: the kernel has
 * not confirmed yet. `serving`: it has; its path queries come here. `lost`: they go to the SA without us, for the reason given.
 */
export type KernelServiceState = "off" | "starting" | "serving" | "lost";

/** The function that is lost with it, in words. */
export const KERNEL_ANSWERS = "answers to the kernel's own path queries; it asks the subnet administrator itself";

/** What a status tells of the kernel's local service. */
export interface KernelServiceStatus {
  readonly state: KernelServiceState;
  /** Why: for `off` and `lost`. */
  readonly reason?: string;
  /** What to do about a loss. */
  readonly remedy?: string;
  /** How long the kernel waits for an answer, milliseconds. */
  readonly timeoutMs: number;
  /** Requests received since the start. */
  readonly requests: number;
  /** Of these, answered with the failure message. */
  readonly failures: number;
  /** How often the kernel had to drop requests because they were not read in time. */
  readonly overruns: number;
}
