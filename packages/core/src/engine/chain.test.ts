import { VerbenaError } from "@verbena/ib";
import { VirtualClock } from "../testing/index.js";
import { askChain, type ChainLink, type ChainOptions, type ChainOutcome } from "./chain.js";
import { verdictOf } from "./chain-failure.js";

interface Answer {
  readonly value: string;
}

function setUp(links: readonly ChainLink<Answer>[], options: Partial<ChainOptions<Answer>> = {}) {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const run = (): Promise<ChainOutcome<Answer>> =>
    askChain(
      links.map((link) => ({ ...link })),
      {
        clock,
        deadline: 6000,
        signal: controller.signal,
        check: (answer) => (typeof answer.value === "string" ? undefined : "value is not text"),
        ...options,
      },
    );
  return { clock, controller, run };
}

const after = (clock: () => VirtualClock, ms: number, value: string | undefined): Promise<Answer | undefined> =>
  new Promise((resolve) => {
    clock().schedule(ms, () => {
      resolve(value === undefined ? undefined : { value });
    });
  });

describe("askChain", () => {
  let clock: VirtualClock;
  const theClock = (): VirtualClock => clock;
  const asked: string[] = [];
  const link = (provider: string, ask: (signal: AbortSignal) => Promise<Answer | undefined>): ChainLink<Answer> => ({
    provider,
    ask: (signal) => {
      asked.push(`${provider}@${clock.now()}`);
      return ask(signal);
    },
  });
  const silent =
    (signals: AbortSignal[] = []) =>
    (signal: AbortSignal): Promise<undefined> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
  beforeEach(() => {
    asked.length = 0;
  });
  const start = (links: readonly ChainLink<Answer>[], options: Partial<ChainOptions<Answer>> = {}) => {
    const made = setUp(links, options);
    clock = made.clock;
    return { ...made, outcome: made.run() };
  };

  it("passes on after undefined, rejection, throw and a wrong shape, and names who failed", async () => {
    const { outcome } = start([
      link("a", () => Promise.resolve(undefined)),
      link("b", () => Promise.reject(new VerbenaError("VERBENA_X", "no"))),
      link("c", () => {
        throw new TypeError("oops");
      }),
      link("d", () => Promise.resolve({ value: 1 } as unknown as Answer)),
      link("e", () => Promise.resolve({ value: "ok" })),
    ]);
    expect(await outcome).toEqual({ found: true, provider: "e", answer: { value: "ok" } });
    expect(asked).toEqual(["a@0", "b@0", "c@0", "d@0", "e@0"]);
    expect(clock.pending).toBe(0);
  });

  it("gives each provider an equal share of the time and aborts who overruns it", async () => {
    const signals: AbortSignal[] = [];
    const { outcome, clock: time } = start([
      link("a", silent(signals)),
      link("b", silent(signals)),
      link("c", silent(signals)),
    ]);
    const result = await time.run(outcome);
    expect(asked).toEqual(["a@0", "b@2000", "c@4000"]);
    expect(time.now()).toBe(6000);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
    expect(result).toEqual({
      found: false,
      failures: ["a", "b", "c"].map((provider) => ({ provider, kind: "timeout" })),
    });
    expect(time.pending).toBe(0);
  });

  it("asks a companion beside a silent provider; the first positive answer wins", async () => {
    const { outcome, clock: time } = start(
      [link("a", () => after(theClock, 1000, "slow")), link("b", () => after(theClock, 100, "quick"))],
      { companionDelayMs: 300 },
    );
    expect(await time.run(outcome)).toEqual({ found: true, provider: "b", answer: { value: "quick" } });
    expect(asked).toEqual(["a@0", "b@300"]);
    expect(time.now()).toBe(400);
  });

  it("waits for the first when the companion does not know", async () => {
    const { outcome, clock: time } = start(
      [link("a", () => after(theClock, 1000, "slow")), link("b", () => after(theClock, 10, undefined))],
      { companionDelayMs: 300 },
    );
    expect(await time.run(outcome)).toMatchObject({ provider: "a" });
  });

  it("asks the companion at once when the first does not know", async () => {
    const { outcome, clock: time } = start(
      [link("a", () => after(theClock, 50, undefined)), link("b", () => after(theClock, 10, "b"))],
      { companionDelayMs: 300 },
    );
    await time.run(outcome);
    expect(asked).toEqual(["a@0", "b@50"]);
  });

  it("stops when aborted, without a chain and after the answer is there", async () => {
    const { outcome, controller } = start([link("a", silent())]);
    controller.abort();
    expect(await outcome).toMatchObject({ found: false });
    expect(clock.pending).toBe(0);
    expect(await start([]).outcome).toEqual({ found: false, failures: [] });
  });
});

describe("verdictOf", () => {
  const refused = new VerbenaError("VERBENA_PROVIDER_SA_STATUS", "no", { details: { saStatus: 0x0600 } });
  it.each([
    [[], { kind: "no-data" }],
    [[{ provider: "a", kind: "unknown" }], { kind: "no-data" }],
    [
      [
        { provider: "a", kind: "timeout" },
        { provider: "b", kind: "unknown" },
      ],
      { kind: "timeout" },
    ],
    [
      [
        { provider: "a", kind: "timeout" },
        { provider: "b", kind: "error", error: refused },
      ],
      { kind: "sa-status", saStatus: 0x0600 },
    ],
    [[{ provider: "a", kind: "fault", what: "threw" }], { kind: "no-data" }],
  ] as const)("%j", (failures, verdict) => {
    expect(verdictOf(failures)).toEqual(verdict);
  });
});
