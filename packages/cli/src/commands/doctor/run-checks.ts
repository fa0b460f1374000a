import type { Check, CheckReport, DoctorReport, Finding, Verdict } from "./check.js";
import type { Probe } from "./probe.js";

/** Milliseconds, and timers; handed in so that tests need not wait. */
export interface DoctorClock {
  now(): number;
  /** Gives the function that cancels. */
  schedule(ms: number, run: () => void): () => void;
}

/** Runs all checks at once. One that has not answered at the deadline is reported as such; its look goes on and is ignored. */
export async function runChecks(
  checks: readonly Check[],
  probe: Probe,
  clock: DoctorClock,
  deadlineMs: number,
): Promise<DoctorReport> {
  const reports = await Promise.all(checks.map((check) => runCheck(check, probe, clock, deadlineMs)));
  const counts: Record<Verdict, number> = { ok: 0, warn: 0, fail: 0, skip: 0 };
  for (const { findings } of reports) for (const { verdict } of findings) counts[verdict] += 1;
  return { verdict: counts.fail > 0 ? "fail" : counts.warn > 0 ? "warn" : "ok", counts, checks: reports };
}

async function runCheck(check: Check, probe: Probe, clock: DoctorClock, deadlineMs: number): Promise<CheckReport> {
  const start = clock.now();
  const { id, group, title } = check;
  const findings = await settled(check, probe, clock, deadlineMs);
  return { id, group, title, verdict: worst(findings), tookMs: Math.round(clock.now() - start), findings };
}

function settled(check: Check, probe: Probe, clock: DoctorClock, deadlineMs: number): Promise<readonly Finding[]> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(deadlineMs, () => {
      const seen = `no answer within ${String(deadlineMs / 1000)} s`;
      const remedy = "look at `dmesg` for a device or file system that hangs, or give it longer with --timeout";
      resolve([{ verdict: "fail", seen, remedy }]);
    });
    // A check that throws at once fails like one that rejects.
    void Promise.resolve()
      .then(() => check.run(probe))
      .catch(failed)
      .then((findings) => {
        cancel();
        resolve(findings);
      });
  });
}

/** What could not be looked at is a failure: nobody should take it for good. */
function failed(error: unknown): readonly Finding[] {
  const seen = error instanceof Error ? error.message : String(error);
  const hint = (error as { readonly hint?: unknown } | null)?.hint;
  return [{ verdict: "fail", seen, ...(typeof hint === "string" ? { remedy: hint } : {}) }];
}

const RANK: Readonly<Record<Verdict, number>> = { skip: 0, ok: 1, warn: 2, fail: 3 };

function worst(findings: readonly Finding[]): Verdict {
  return findings.reduce<Verdict>((sofar, { verdict }) => (RANK[verdict] > RANK[sofar] ? verdict : sofar), "skip");
}
