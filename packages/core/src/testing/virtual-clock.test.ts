import { VirtualClock } from "./virtual-clock.js";

describe("VirtualClock", () => {
  it("runs timers in order of time, then of setting", async () => {
    const clock = new VirtualClock(100);
    const seen: string[] = [];
    clock.schedule(20, () => seen.push(`b@${clock.now()}`));
    clock.schedule(10, () => seen.push(`a@${clock.now()}`));
    clock.schedule(20, () => seen.push(`c@${clock.now()}`));
    await clock.advance(15);
    expect(seen).toEqual(["a@110"]);
    await clock.advance(5);
    expect(seen).toEqual(["a@110", "b@120", "c@120"]);
    expect(clock.pending).toBe(0);
  });

  it("settles promises between two timers and runs timers set on the way", async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    clock.schedule(10, () => {
      void Promise.resolve().then(() => {
        clock.schedule(10, () => seen.push(clock.now()));
      });
    });
    await clock.advance(30);
    expect(seen).toEqual([20]);
  });

  it("cancels", async () => {
    const clock = new VirtualClock();
    const cancel = clock.schedule(1, () => {
      throw new Error("must not run");
    });
    cancel();
    await clock.advance(5);
    expect(clock.now()).toBe(5);
  });

  it("runs until a promise settles and no longer", async () => {
    const clock = new VirtualClock();
    const value = await clock.run(
      new Promise<string>((resolve) => {
        clock.schedule(250, () => {
          resolve("done");
        });
      }),
    );
    expect(value).toBe("done");
    expect(clock.now()).toBe(250);
    await expect(clock.run(new Promise(() => undefined), 10)).rejects.toThrow(/nothing left/);
  });
});
