import fc from "fast-check";
import { type LinkEffect, type LinkEvent, type LinkRole, type LinkState, linkStep } from "./link-machine.js";

const EVENTS: readonly LinkEvent[] = [
  "work",
  "accepted",
  "called-late",
  "connected",
  "failed",
  "confirmed",
  "lost",
  "timer",
  "idle-timer",
  "close",
];

/** All effects of a history, from idle, and where it ends. */
function live(role: LinkRole, history: readonly LinkEvent[]): { state: LinkState; effects: readonly LinkEffect[] } {
  let state: LinkState = "idle";
  const effects: LinkEffect[] = [];
  for (const event of history) {
    const step = linkStep(role, state, event);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

test("the smaller side begins to send only once the peer's first frame has come", () => {
  expect(live("smaller", ["work", "connected"])).toEqual({ state: "unconfirmed", effects: ["connect", "adopt"] });
  expect(live("smaller", ["work", "connected", "confirmed"]).effects).toEqual(["connect", "adopt", "begin"]);
});

test("the smaller side turns every call away, and calls back if it has no connection", () => {
  expect(live("smaller", ["accepted"])).toEqual({ state: "connecting", effects: ["turn-away", "connect"] });
  expect(linkStep("smaller", "up", "accepted")).toEqual({ state: "up", effects: ["turn-away"] });
});

test("the larger side hangs up what it has opened itself, and takes what the peer opens, in any state", () => {
  expect(live("larger", ["work", "connected"])).toEqual({
    state: "waiting",
    effects: ["connect", "hang-up", "await-call"],
  });
  for (const state of ["idle", "connecting", "up", "waiting"] as const) {
    const step = linkStep("larger", state, "accepted");
    expect(step.state).toBe("up");
    expect(step.effects).toContain(state === "up" ? "replace" : "begin");
    expect(step.effects).not.toContain("turn-away");
  }
});

test("a lost connection is made again by the smaller side; the larger asks for it while it has something to send", () => {
  expect(live("smaller", ["work", "connected", "confirmed", "lost", "idle-timer"]).effects.slice(3)).toEqual([
    "schedule",
    "connect",
  ]);
  expect(live("larger", ["accepted", "lost", "idle-timer"])).toMatchObject({ state: "idle" });
  expect(live("larger", ["accepted", "lost", "timer"]).state).toBe("connecting");
});

test.each<LinkRole>(["smaller", "larger"])(
  "whatever happens to the %s side, it has one attempt, connection or timer at most, and nothing after the close",
  (role) => {
    const held: Readonly<Record<LinkState, string>> = {
      idle: "",
      connecting: "attempt",
      unconfirmed: "connection",
      up: "connection",
      waiting: "timer",
      closed: "",
    };
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 60 }), (history) => {
        let state: LinkState = "idle";
        let has = "";
        for (const event of [...history, "close", "timer", "accepted"] as const) {
          const step = linkStep(role, state, event);
          // What ends by itself.
          if (["lost", "timer", "idle-timer"].includes(event) && step.state !== state) has = "";
          for (const effect of step.effects) {
            if (["hang-up", "end", "unschedule"].includes(effect)) has = "";
            const isTimer = effect === "schedule" || effect === "await-call";
            if (effect === "connect" || isTimer) expect(has).toBe("");
            if (effect === "connect") has = "attempt";
            if (isTimer) has = "timer";
            if (effect === "adopt" || effect === "replace") has = "connection";
          }
          ({ state } = step);
          expect(has).toBe(held[state]);
        }
        expect(state).toBe("closed");
      }),
    );
  },
);

test("every call is turned away or taken, once", () => {
  for (const role of ["smaller", "larger"] as const) {
    for (const state of ["idle", "connecting", "up", "waiting", "closed"] as const) {
      const { effects } = linkStep(role, state, "accepted");
      expect(effects.filter((effect) => ["turn-away", "adopt", "replace"].includes(effect))).toHaveLength(1);
    }
  }
});
