import { BREAKER_CAP_MS, SaBreaker } from "./sa-breaker.js";

const silent = (breaker: SaBreaker, from: number, count: number): number => {
  for (let n = 0; n < count; n += 1) breaker.onSilence(from + n * 2_000, from + (n + 1) * 2_000, false);
  return from + count * 2_000;
};

describe("SaBreaker", () => {
  it("opens after so many time-outs one after the other, not one fewer", () => {
    const breaker = new SaBreaker({ after: 5, pauseMs: 1_000, random: () => 1 });
    const now = silent(breaker, 0, 4);
    expect(breaker.state).toBe("closed");
    expect(breaker.onSilence(now, now + 2_000, false)).toBe(true);
    expect(breaker.state).toBe("open");
    expect(breaker.retryInMs(now + 2_000)).toBe(1_000);
    expect(breaker.admit(now + 2_999)).toBe(false);
  });

  it("takes questions lost together for one silence", () => {
    const breaker = new SaBreaker({ after: 2, random: () => 1 });
    for (let n = 0; n < 100; n += 1) breaker.onSilence(0, 2_000 + n, false);
    expect(breaker.state).toBe("closed");
  });

  it("forgets silence at any sign of life", () => {
    const breaker = new SaBreaker({ after: 3, random: () => 1 });
    const now = silent(breaker, 0, 2);
    breaker.onSign();
    silent(breaker, now, 2);
    expect(breaker.state).toBe("closed");
  });

  it("lets one probe through, and doubles its pause when that fails", () => {
    const breaker = new SaBreaker({ after: 1, pauseMs: 1_000, random: () => 1 });
    let now = silent(breaker, 0, 1);
    const pauses: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      const pause = breaker.retryInMs(now);
      pauses.push(pause);
      now += pause;
      expect(breaker.admit(now)).toBe(true);
      expect([breaker.state, breaker.admit(now)]).toEqual(["half-open", false]);
      now += 2_000;
      expect(breaker.onSilence(now - 2_000, now, true)).toBe(true);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, BREAKER_CAP_MS, BREAKER_CAP_MS]);
    expect(breaker.admit(now + BREAKER_CAP_MS)).toBe(true);
    breaker.onSign();
    expect(breaker.state).toBe("closed");
    silent(breaker, now, 1);
    expect(breaker.retryInMs(now + 2_000)).toBe(1_000);
  });

  it("draws the upper half of its pause by lot", () => {
    const breaker = new SaBreaker({ after: 1, pauseMs: 1_000, random: () => 0 });
    expect(breaker.retryInMs(silent(breaker, 0, 1))).toBe(500);
  });

  it("gives the probe's place to the next when the probe goes away", () => {
    const breaker = new SaBreaker({ after: 1, random: () => 1 });
    const now = silent(breaker, 0, 1) + 1_000;
    expect(breaker.admit(now)).toBe(true);
    breaker.onProbeGone(now);
    expect(breaker.admit(now)).toBe(true);
  });

  it("is not opened or closed by a late time-out of an earlier question", () => {
    const breaker = new SaBreaker({ after: 1, random: () => 1 });
    const now = silent(breaker, 0, 1);
    expect(breaker.onSilence(now, now + 1, false)).toBe(false);
    expect(breaker.retryInMs(now)).toBe(1_000);
    breaker.onProbeGone(now);
    expect(breaker.state).toBe("open");
  });

  it("never opens where it is switched off", () => {
    const breaker = new SaBreaker({ after: 0, random: () => 1 });
    silent(breaker, 0, 1_000);
    expect(breaker.state).toBe("closed");
  });
});
