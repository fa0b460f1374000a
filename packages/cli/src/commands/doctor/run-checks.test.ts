import { fakeProbe } from "../../../test/support/fake-probe.js";
import type { Check } from "./check.js";
import { CHECKS } from "./checks/index.js";
import { renderReport } from "./render.js";
import { type DoctorClock, runChecks } from "./run-checks.js";

/** Time that goes on only when the test says so. */
class Clock implements DoctorClock {
  #now = 0;
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  schedule(ms: number, run: () => void): () => void {
    this.#timers.set(run, this.#now + ms);
    return () => this.#timers.delete(run);
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const [run, at] of [...this.#timers]) if (at <= this.#now && this.#timers.delete(run)) run();
  }
}

const one = (id: string, run: Check["run"]): Check => ({ id, group: "access", title: id, run });
const well = one("well", () => Promise.resolve([{ verdict: "ok", seen: "fine" }]));

describe("runChecks", () => {
  it("reports a check that hangs at its deadline, and the others as they are", async () => {
    const clock = new Clock();
    const hanging = one("hanging", () => new Promise<never>(() => undefined));
    const running = runChecks([hanging, well], fakeProbe(), clock, 5000);
    await new Promise(setImmediate);
    clock.advance(5000);
    const { verdict, counts, checks } = await running;
    expect(verdict).toBe("fail");
    expect(counts).toEqual({ ok: 1, warn: 0, fail: 1, skip: 0 });
    expect(checks).toMatchObject([
      { id: "hanging", verdict: "fail", tookMs: 5000, findings: [{ seen: "no answer within 5 s" }] },
      { id: "well", verdict: "ok" },
    ]);
  });

  it("takes what cannot be looked at for a failure, with the hint of the error", async () => {
    const broken = one("broken", () => {
      throw Object.assign(new Error("cannot look"), { hint: "look elsewhere" });
    });
    const { checks } = await runChecks([broken], fakeProbe(), new Clock(), 5000);
    expect(checks[0]?.findings).toEqual([{ verdict: "fail", seen: "cannot look", remedy: "look elsewhere" }]);
  });

  it("finds nothing wrong with a host that is well, and has a name of its own for every check", async () => {
    const report = await runChecks(CHECKS, fakeProbe(), new Clock(), 5000);
    expect(report.verdict).toBe("ok");
    expect(report.checks.flatMap(({ findings }) => findings).filter(({ remedy }) => remedy !== undefined)).toEqual([]);
    expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
  });
});

describe("renderReport", () => {
  it("shows a line per finding under its group, and the remedy below", () => {
    const findings = [
      { verdict: "ok" as const, subject: "a", seen: "fine" },
      { verdict: "fail" as const, subject: "b", seen: "broken", remedy: "mend it" },
    ];
    const check = {
      id: "x",
      group: "access" as const,
      title: "umad access",
      verdict: "fail" as const,
      tookMs: 1,
      findings,
    };
    const text = renderReport({ verdict: "fail", counts: { ok: 1, warn: 0, fail: 1, skip: 0 }, checks: [check] });
    expect(text).toBe(
      [
        "access",
        "  ok    umad access  a: fine",
        "  fail               b: broken",
        "                     → mend it",
        "",
        "1 ok, 0 warnings, 1 failure, 0 not applicable",
        "",
      ].join("\n"),
    );
  });
});
