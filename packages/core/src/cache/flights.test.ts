import { VerbenaError } from "@verbena/ib";
import type { Destination } from "../sdk/destination.js";
import { VirtualClock } from "../testing/index.js";
import { type FlightContext, FlightExpired, Flights } from "./flights.js";

const subject: Destination = { kind: "name", name: "a", text: "a" };
const scope = { prefix: "1:", generation: 1 };
const errors = {
  timeout: () => new VerbenaError("VERBENA_RESOLVE_TIMEOUT", "late"),
  aborted: () => new VerbenaError("VERBENA_RESOLVE_ABORTED", "aborted"),
};

function setUp() {
  const clock = new VirtualClock();
  const flights = new Flights<string>(clock);
  const contexts: FlightContext[] = [];
  const after =
    (ms: number, value = "ok") =>
    (context: FlightContext): Promise<string> => {
      contexts.push(context);
      return new Promise((resolve) => {
        clock.schedule(ms, () => {
          resolve(value);
        });
      });
    };
  const join = (key: string, ms: number, waiter: { deadline: number; signal?: AbortSignal }): Promise<string> => {
    const promise = flights.join({ key, scope, subject }, 6000, after(ms), waiter, errors);
    promise.catch(() => undefined);
    return promise;
  };
  return { clock, flights, contexts, join };
}

describe("Flights", () => {
  it("asks once for all who want the same", async () => {
    const { clock, contexts, join } = setUp();
    const all = Promise.all(Array.from({ length: 100 }, () => join("a", 50, { deadline: 6000 })));
    expect(await clock.run(all)).toHaveLength(100);
    expect(contexts).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it("lets each keep its deadline and goes on for the others", async () => {
    const { clock, contexts, join } = setUp();
    const short = join("a", 500, { deadline: 100 });
    const long = join("a", 500, { deadline: 6000 });
    await clock.advance(100);
    await expect(short).rejects.toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
    expect(contexts[0]?.signal.aborted).toBe(false);
    expect(await clock.run(long)).toBe("ok");
  });

  it("aborts the lookup when the last one leaves, and starts a new one for the next", async () => {
    const { clock, flights, contexts, join } = setUp();
    const one = new AbortController();
    const two = new AbortController();
    const first = join("a", 500, { deadline: 6000, signal: one.signal });
    const second = join("a", 500, { deadline: 6000, signal: two.signal });
    one.abort();
    await expect(first).rejects.toMatchObject({ code: "VERBENA_RESOLVE_ABORTED" });
    expect(contexts[0]?.signal.aborted).toBe(false);
    two.abort();
    await expect(second).rejects.toMatchObject({ code: "VERBENA_RESOLVE_ABORTED" });
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(flights.size).toBe(0);
    expect(await clock.run(join("a", 1, { deadline: 6000 }))).toBe("ok");
    expect(contexts).toHaveLength(2);
  });

  it("tells a lookup that had its time from one that was given up", async () => {
    const { clock, contexts } = setUp();
    const flights = new Flights<string>(clock, 5000);
    const never = (context: FlightContext): Promise<string> => {
      contexts.push(context);
      return new Promise(() => undefined);
    };
    for (const deadline of [100, 5999.5]) {
      const late = flights.join({ key: "a", scope, subject }, clock.now() + 6000, never, { deadline }, errors);
      await expect(clock.run(late)).rejects.toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
    }
    expect(contexts.map(({ signal }) => signal.reason instanceof FlightExpired)).toEqual([false, true]);
  });

  it("ends the lookups of a scope at once and drops what they find later", async () => {
    const { clock, flights, contexts, join } = setUp();
    const old = join("a", 500, { deadline: 6000 });
    flights.end((flight) => flight.scope === scope, new VerbenaError("VERBENA_SA_STALE", "changed"));
    await expect(old).rejects.toMatchObject({ code: "VERBENA_SA_STALE" });
    expect(contexts[0]?.signal.aborted).toBe(true);
    const next = join("a", 700, { deadline: 6000 });
    await clock.advance(500);
    expect(flights.size).toBe(1);
    expect(await clock.run(next)).toBe("ok");
  });

  it("refuses who is aborted already", async () => {
    const { flights, join } = setUp();
    await expect(join("a", 1, { deadline: 6000, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "VERBENA_RESOLVE_ABORTED",
    });
    expect(flights.size).toBe(0);
  });
});
