import type { Probe } from "./probe.js";

/** `skip`: does not apply here, and why is said. */
export type Verdict = "ok" | "warn" | "fail" | "skip";

/** What one check has seen of one thing. */
export interface Finding {
  readonly verdict: Verdict;
  /** Which one, where there are several: a port, a library, a file. */
  readonly subject?: string;
  readonly seen: string;
  /** One sentence with the command to type or the line to write. */
  readonly remedy?: string;
}

/** Headings of the report, in its order. */
export const GROUPS = ["libraries", "devices", "access", "addresses", "configuration", "service"] as const;

/** One of {@link GROUPS}. */
export type Group = (typeof GROUPS)[number];

/** One check: a pure function of what the probe sees. */
export interface Check {
  /** Stable name, for programs that read the JSON. */
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  run(probe: Probe): Promise<readonly Finding[]>;
}

/** A check with its result; the shape of `--json`. */
export interface CheckReport {
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  /** The worst of its findings. */
  readonly verdict: Verdict;
  readonly tookMs: number;
  readonly findings: readonly Finding[];
}

/** The whole report; the shape of `--json`. */
export interface DoctorReport {
  /** `fail` if a check failed, else `warn` if one warned, else `ok`. */
  readonly verdict: Exclude<Verdict, "skip">;
  /** Number of findings. */
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly checks: readonly CheckReport[];
}

/** A single finding with a remedy only where something is wrong. */
export function finding(verdict: Verdict, seen: string, more: Omit<Finding, "verdict" | "seen"> = {}): Finding {
  return { verdict, ...more, seen };
}

/** The answer of a check that has nothing to look at. */
export function skipped(seen: string): readonly Finding[] {
  return [finding("skip", seen)];
}
