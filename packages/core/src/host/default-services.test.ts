import { VirtualClock } from "../testing/index.js";
import { scaledClock, systemClock } from "./default-services.js";

describe("systemClock", () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it("waits longer than one timer of Node can", () => {
    jest.useFakeTimers();
    let runs = 0;
    systemClock.schedule(3 * 2 ** 31, () => {
      runs += 1;
    });
    jest.advanceTimersByTime(3 * 2 ** 31 - 1);
    expect(runs).toBe(0);
    jest.advanceTimersByTime(1);
    expect(runs).toBe(1);
  });

  it("can be cancelled at any time", () => {
    jest.useFakeTimers();
    const cancel = systemClock.schedule(2 ** 32, () => {
      throw new Error("ran");
    });
    jest.advanceTimersByTime(2 ** 31);
    cancel();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe("scaledClock", () => {
  it("runs so many times faster than the clock below", async () => {
    const below = new VirtualClock();
    const clock = scaledClock(60, below);
    const at: number[] = [];
    clock.schedule(60_000, () => at.push(clock.now()));
    await below.advance(999);
    expect(at).toEqual([]);
    await below.advance(1);
    expect(at).toEqual([60_000]);
  });
});
