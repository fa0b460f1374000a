import type { SessionState } from "../sdk/provider.js";
import {
  ENDPOINT_STATE,
  ENDPOINT_TABLE,
  type EndpointPhase,
  type EndpointSignal,
  isOpening,
  type SessionsSight,
  sightOf,
  stepEndpoint,
} from "./endpoint-machine.js";

const PHASES = Object.keys(ENDPOINT_TABLE) as EndpointPhase[];
const SIGHTS = Object.keys(ENDPOINT_TABLE.opening) as SessionsSight[];
const SIGNALS = Object.keys(ENDPOINT_TABLE.opening.none) as EndpointSignal[];

/** Phase and sight: what `sessions` and `opened` lead to, with what is done. */
const EXPECTED: readonly [EndpointPhase, SessionsSight, string, string][] = [
  ["opening", "none", "opening none", "ready tell"],
  ["opening", "joining", "opening none", "joining settle"],
  ["opening", "ready", "early tell", "ready tell"],
  ["opening", "failed", "opening none", "failed tell"],
  ["early", "none", "opening tell", "ready none"],
  ["early", "joining", "opening tell", "joining tell"],
  ["early", "ready", "early none", "ready none"],
  ["early", "failed", "opening tell", "failed tell"],
  ["joining", "none", "ready tell", "ready tell"],
  ["joining", "joining", "joining none", "joining none"],
  ["joining", "ready", "ready tell", "ready tell"],
  ["joining", "failed", "failed tell", "failed tell"],
  ["ready", "none", "ready none", "ready none"],
  ["ready", "joining", "joining tell", "joining tell"],
  ["ready", "ready", "ready none", "ready none"],
  ["ready", "failed", "failed tell", "failed tell"],
  ["failed", "none", "ready tell", "ready tell"],
  ["failed", "joining", "joining tell", "joining tell"],
  ["failed", "ready", "ready tell", "ready tell"],
  ["failed", "failed", "failed none", "failed none"],
];

describe("endpoint state machine", () => {
  const text = (phase: EndpointPhase, sight: SessionsSight, signal: EndpointSignal): string => {
    const { next, action } = stepEndpoint(phase, sight, signal);
    return `${next} ${action}`;
  };

  it.each(EXPECTED)("%s, sessions %s: on sessions %s, on opened %s", (phase, sight, onSessions, onOpened) => {
    expect(text(phase, sight, "sessions")).toBe(onSessions);
    expect(text(phase, sight, "opened")).toBe(onOpened);
  });

  it("is expected in every phase and sight but closed", () => {
    expect(EXPECTED).toHaveLength((PHASES.length - 1) * SIGHTS.length);
  });

  it("closes from everywhere, lets go who waits, tells nobody, and stays closed", () => {
    for (const sight of SIGHTS) {
      for (const phase of PHASES) {
        expect(text(phase, sight, "close")).toBe(phase === "closed" ? "closed none" : "closed settle");
      }
      for (const signal of SIGNALS) expect(text("closed", sight, signal)).toBe("closed none");
    }
  });

  it.each([
    [[], "none"],
    [["failed", "failed"], "failed"],
    [["failed", "joining"], "joining"],
    [["joining", "failed", "ready"], "ready"],
  ] as const)("sees in sessions %j: %s", (states, sight) => {
    expect(sightOf(states)).toBe(sight);
  });

  it("tells each change of state once, and lets who waits go as soon as it is ready or opened, in any order of signals", () => {
    let seed = 11;
    const pick = <T>(list: readonly T[]): T => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return list[Math.floor((seed / 0x1_0000_0000) * list.length)] as T;
    };
    for (let run = 0; run < 300; run += 1) {
      let phase: EndpointPhase = "opening";
      let told: SessionState = "joining";
      let hasSettled = false;
      for (let step = 0; step < 30; step += 1) {
        const signal = pick<EndpointSignal>(["sessions", "sessions", "sessions", "sessions", "opened", "close"]);
        const sight = pick(SIGHTS);
        const before = phase;
        const { next, action } = stepEndpoint(before, sight, signal);
        if (action === "tell") {
          expect(ENDPOINT_STATE[next]).not.toBe(told);
          told = ENDPOINT_STATE[next];
        }
        if (action !== "none") hasSettled = true;
        phase = next;
        if (phase !== "closed") expect(ENDPOINT_STATE[phase]).toBe(told);
        if (ENDPOINT_STATE[phase] === "ready" || !isOpening(phase)) expect(hasSettled).toBe(true);
        // An opening that is over never begins again.
        if (!isOpening(before)) expect(isOpening(phase)).toBe(false);
      }
    }
  });
});
