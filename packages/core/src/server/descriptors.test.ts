import { VirtualClock } from "../testing/index.js";
import { DescriptorRoom } from "./descriptors.js";

describe("DescriptorRoom", () => {
  it("refuses connections on the last eight descriptors", () => {
    const room = new DescriptorRoom(new VirtualClock(), () => 40);
    expect([room.has(31), room.has(32), room.has(39)]).toEqual([true, false, false]);
    expect(room.has(undefined)).toBe(true);
  });

  it("has room where there is no limit", () => {
    expect(new DescriptorRoom(new VirtualClock(), () => undefined).has(1_000_000)).toBe(true);
  });

  it("notices within a second that the limit was changed, and keeps it when it cannot be read", async () => {
    const clock = new VirtualClock();
    let limit: number | undefined = 200;
    let looks = 0;
    const room = new DescriptorRoom(clock, () => {
      looks += 1;
      return limit;
    });
    limit = 30;
    expect(room.has(50)).toBe(true);
    await clock.advance(1_000);
    expect(room.has(50)).toBe(false);
    limit = undefined;
    await clock.advance(1_000);
    expect([room.has(50), room.has(20), room.limit]).toEqual([false, true, 30]);
    expect(looks).toBe(3);
  });
});
