import {
  SUBSCRIPTION_TABLE,
  type SubscriptionPhase,
  type SubscriptionSignal,
  stepSubscription,
} from "./subscription-machine.js";

const PHASES = Object.keys(SUBSCRIPTION_TABLE) as SubscriptionPhase[];
const SIGNALS = Object.keys(SUBSCRIPTION_TABLE.closed) as SubscriptionSignal[];

describe("subscription machine", () => {
  it("goes from registering over asking to subscribed", () => {
    expect(stepSubscription("unregistered", "due")).toEqual({ next: "unregistered", action: "register" });
    expect(stepSubscription("unregistered", "registered")).toEqual({ next: "asking", action: "ask" });
    expect(stepSubscription("asking", "granted")).toEqual({ next: "subscribed", action: "rest" });
  });

  it("asks again at once when the SM is another one, whatever it was doing", () => {
    for (const phase of ["asking", "waiting", "subscribed"] as const) {
      expect(stepSubscription(phase, "renewed")).toEqual({ next: "asking", action: "ask" });
    }
  });

  it("stays closed", () => {
    for (const signal of SIGNALS)
      expect(stepSubscription("closed", signal)).toEqual({ next: "closed", action: "none" });
  });

  it("never gets stuck: in any order of signals, a living phase has a pause, a question or a registration under way", () => {
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 0x1_0000_0000) * below);
    };
    // What may come is what is under way; the outside adds `renewed` and `lost` at any time.
    for (let run = 0; run < 500; run += 1) {
      let phase: SubscriptionPhase = "unregistered";
      let under: readonly SubscriptionSignal[] = ["due"];
      for (let step = 0; step < 40; step += 1) {
        const outside: readonly SubscriptionSignal[] = phase === "unregistered" ? ["renewed"] : ["renewed", "lost"];
        const all = [...under, ...outside];
        const signal = all[random(all.length)] ?? "renewed";
        const { next, action } = stepSubscription(phase, signal);
        phase = next;
        if (action === "register") under = ["taken", "registered"];
        if (action === "ask") under = ["granted", "refused", "failed"];
        if (action === "pause" || action === "rest") under = ["due"];
        expect(PHASES).toContain(phase);
        expect(under.length).toBeGreaterThan(0);
        const isAsking = under.includes("granted");
        expect(isAsking).toBe(phase === "asking");
      }
    }
  });
});
