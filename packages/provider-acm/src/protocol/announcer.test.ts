import { VirtualClock } from "@verbena/core/testing";
import { FAMILIES } from "../../test/support/families.js";
import { ip, named } from "../../test/support/parts.js";
import { Announcer } from "./announcer.js";

function rig() {
  const clock = new VirtualClock();
  const told: (readonly [number, string])[] = [];
  const announcer = new Announcer(
    clock,
    () => 0.5,
    ({ text }) => told.push([clock.now(), text]),
  );
  return { clock, told, announcer };
}

describe.each(FAMILIES)("$family", ({ host }) => {
  describe("an address that has come", () => {
    it("is told of within 200 ms, and once more a second later", async () => {
      const { clock, told, announcer } = rig();
      announcer.tell(ip(host(1)));
      await clock.advance(60_000);
      expect(told).toEqual([
        [100, host(1)],
        [1100, host(1)],
      ]);
      expect(clock.pending).toBe(0);
    });

    it("is not told of once it has gone, or the endpoint is closed", async () => {
      const { clock, told, announcer } = rig();
      announcer.tell(ip(host(1)));
      announcer.tell(named("node1"));
      announcer.forget(ip(host(1)));
      await clock.advance(500);
      expect(told).toEqual([[100, "node1"]]);
      announcer.close();
      expect(clock.pending).toBe(0);
    });
  });
});
