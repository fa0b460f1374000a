import { Lid, VerbenaError } from "@verbena/ib";
import { type DestinationPhase, type LookupSignal, stepLookup, stepWant } from "../src/cache/destination-machine.js";
import { type Bench, client, gid, named, nodeGuid, startBench } from "./support/engine-bench.js";

const MINUTE = 60_000;
const LIFE = 10 * MINUTE;
const NEGATIVE_LIFE = 2 * MINUTE;
/** What `explain` calls each phase. */
const SHOWN: Readonly<Record<DestinationPhase, string>> = {
  unknown: "miss",
  known: "hit",
  due: "due",
  kept: "kept",
  failed: "negative",
};

/** How the provider ends each lookup, and what that is to the destination. */
const ENDINGS: Readonly<Partial<Record<LookupSignal, NonNullable<Bench["provider"]["address"]>>>> = {
  found: () => Promise.resolve({ gid: gid(nodeGuid(1)) }),
  denied: () => Promise.resolve(undefined),
  failed: () => Promise.reject(new VerbenaError("VERBENA_SA_TIMEOUT", "silent")),
  undecided: () => Promise.reject(new VerbenaError("VERBENA_SA_BREAKER_OPEN", "left alone")),
};

/** A destination as its table has it, and when time changes it. */
class Model {
  phase: DestinationPhase = "unknown";
  #dueAt = Number.POSITIVE_INFINITY;
  #endsAt = Number.POSITIVE_INFINITY;
  #keptAt = 0;

  /** What was held runs out. */
  pass(now: number): void {
    if (this.phase === "known" && now >= this.#dueAt) this.phase = "due";
    if (now >= this.#endsAt) this.phase = "unknown";
  }

  ask(ending: LookupSignal, now: number): void {
    const isEarly = this.phase === "kept" && now < this.#dueAt;
    const { next, action } = stepWant(this.phase, isEarly ? "bound" : "idle", "request");
    this.phase = next;
    if (action !== "join" && action !== "refresh") return;
    const ended = stepLookup(this.phase, "asked", ending);
    this.phase = ended.next;
    if (ended.action === "keep") this.#live(now + LIFE - MINUTE, now + LIFE);
    if (ended.action === "remember") this.#live(Number.POSITIVE_INFINITY, now + NEGATIVE_LIFE);
    if (ended.action === "report" && action === "refresh") {
      this.#dueAt =
        next === "kept" ? now + Math.max(10_000, now - this.#keptAt) : now + Math.max(1000, (this.#endsAt - now) / 2);
    }
  }

  /** Another SM: what was found is in doubt from now on, what was not may be found. */
  doubt(now: number): void {
    if (this.phase !== "kept") this.#keptAt = now;
    if (this.phase === "failed") this.flush();
    if (this.phase === "unknown") return;
    this.phase = "kept";
    this.#dueAt = now;
  }

  flush(): void {
    this.phase = "unknown";
    this.#live(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  }

  #live(dueAt: number, endsAt: number): void {
    this.#dueAt = dueAt;
    this.#endsAt = endsAt;
  }
}

describe("engine: a destination", () => {
  it("is in the phase its table says, over any order of answers, failures, flushes, changes of the SM and times", async () => {
    const bench = await startBench({ addressTtlMs: LIFE, negativeTtlMs: NEGATIVE_LIFE, notices: false });
    const { clock, engine, provider } = bench;
    let seed = 5;
    const pick = <T>(list: readonly T[]): T => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return list[Math.floor((seed / 0x1_0000_0000) * list.length)] as T;
    };
    const model = new Model();
    const seen = new Set<string>();
    let smLid = 1;
    for (let step = 0; step < 800; step += 1) {
      const ending = pick(["found", "failed", "denied", "undecided"] as const);
      provider.address = ENDINGS[ending];
      await clock.advance(pick([0, 1000, MINUTE / 2, NEGATIVE_LIFE, 8 * MINUTE, LIFE - MINUTE]));
      if (pick([0, 0, 0, 0, 0, 1]) === 1) {
        engine.flush();
        model.flush();
      }
      model.pass(clock.now());
      if (pick([0, 0, 0, 0, 1]) === 1) {
        smLid += 1;
        bench.native.changeSm("sim0", 1, Lid.from(smLid));
        await clock.settle();
        model.doubt(clock.now());
      }
      const asking = engine.explain({ source: named("host1"), destination: named("node1"), client });
      const { steps } = await clock.run(asking);
      expect(steps[1]).toMatchObject({ step: "address", cache: SHOWN[model.phase] });
      seen.add(`${model.phase} ${ending}`);
      model.ask(ending, clock.now());
      // A refresh goes on behind the answer.
      await clock.settle();
    }
    expect(seen.size).toBe(20);
    await engine.close();
  });
});
