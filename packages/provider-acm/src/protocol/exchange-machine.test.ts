import { EXCHANGE_TABLE, type ExchangePhase, type ExchangeSignal, stepExchange } from "./exchange-machine.js";

const phases = Object.keys(EXCHANGE_TABLE) as ExchangePhase[];
const signals = Object.keys(EXCHANGE_TABLE.queued) as ExchangeSignal[];
/** A generator of the minimal standard, so that a failure can be run again. */
const seeded = (seed: number) => (): number => {
  seed = (seed * 48_271) % 0x7fff_ffff;
  return seed / 0x7fff_ffff;
};

test("in any order of events a credit is held by who is asking, and by nobody else", () => {
  const random = seeded(7);
  for (let run = 0; run < 500; run++) {
    let phase: ExchangePhase = "queued";
    let held = 0;
    for (let i = 0; i < 30; i++) {
      const signal = signals[Math.floor(random() * signals.length)] ?? "end";
      const { next, action } = stepExchange(phase, signal);
      if (signal === "credit") held += 1;
      if (action === "release" || action === "refuse" || action === "release-and-queue") held -= 1;
      phase = next;
      expect([phase, held]).toEqual([phase, phase === "asking" ? 1 : 0]);
    }
  }
});

test("what is done stays done", () => {
  for (const signal of signals) expect(stepExchange("done", signal).next).toBe("done");
  for (const phase of phases) expect(stepExchange(phase, "end").next).toBe("done");
});
