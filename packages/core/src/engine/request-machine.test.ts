import { ENDPOINT_TABLE, type EndpointPhase } from "./endpoint-machine.js";
import {
  endpointSignal,
  REQUEST_TABLE,
  type RequestPhase,
  type RequestSignals,
  type RequestWork,
  stepRequest,
} from "./request-machine.js";

const WORKS = Object.keys(REQUEST_TABLE) as RequestWork[];

const EXPECTED: { readonly [W in RequestWork]: readonly [RequestSignals[W], RequestPhase][] } = {
  choosing: [
    ["ready", "working"],
    ["opening", "waiting"],
    ["unready", "unready"],
    ["changed", "choosing"],
    ["late", "late"],
    ["often", "lost"],
    ["closed", "closed"],
    ["failure", "failed"],
  ],
  waiting: [
    ["ready", "working"],
    ["opening", "unready"],
    ["unready", "unready"],
    ["changed", "choosing"],
    ["late", "late"],
    ["often", "lost"],
    ["failure", "failed"],
  ],
  working: [
    ["answer", "answered"],
    ["not-yet", "deferred"],
    ["changed", "choosing"],
    ["late", "late"],
    ["often", "lost"],
    ["failure", "failed"],
  ],
};

describe("request state machine", () => {
  it.each(WORKS)("%s leads on each signal where it should, and knows no other signal", (work) => {
    for (const [signal, next] of EXPECTED[work]) expect(stepRequest(work, signal as never)).toBe(next);
    expect(Object.keys(REQUEST_TABLE[work]).sort()).toEqual(EXPECTED[work].map(([signal]) => signal).sort());
  });

  it.each<[EndpointPhase, string, string]>([
    ["opening", "opening", "unready"],
    ["early", "ready", "ready"],
    ["joining", "unready", "unready"],
    ["ready", "ready", "ready"],
    ["failed", "unready", "unready"],
    ["closed", "changed", "changed"],
  ])("finds an endpoint that is %s %s, and %s when it does not wait", (phase, waiting, hasty) => {
    expect(endpointSignal(phase, true)).toBe(waiting);
    expect(endpointSignal(phase, false)).toBe(hasty);
    expect(Object.keys(ENDPOINT_TABLE)).toHaveLength(6);
  });

  it("ends in any order of signals as soon as the endpoint has changed once too often, and waits once for each endpoint", () => {
    let seed = 3;
    const pick = <T>(list: readonly T[]): T => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return list[Math.floor((seed / 0x1_0000_0000) * list.length)] as T;
    };
    const isWork = (phase: RequestPhase): phase is RequestWork => phase in REQUEST_TABLE;
    for (let run = 0; run < 500; run += 1) {
      let phase: RequestPhase = "choosing";
      let rounds = 1;
      let steps = 0;
      while (isWork(phase)) {
        const before: RequestWork = phase;
        const [drawn]: readonly [string, RequestPhase] = pick<readonly [string, RequestPhase]>(EXPECTED[before]);
        const signal: string = drawn === "changed" && rounds >= 4 ? "often" : drawn;
        phase = stepRequest(before, signal as never);
        if (before === "waiting") expect(phase).not.toBe("waiting");
        if (phase === "choosing") rounds += 1;
        steps += 1;
      }
      // Choosing, waiting and working, in each of four rounds.
      expect(steps).toBeLessThanOrEqual(12);
    }
  });
});
