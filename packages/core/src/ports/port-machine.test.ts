import { PORT_TABLE, type PortPhase, type PortSight, stepPort } from "./port-machine.js";
import type { PortSignalType } from "./port-source.js";

const SIGNALS = Object.keys(PORT_TABLE.down.inactive) as PortSignalType[];
const SIGHTS: readonly PortSight[] = ["inactive", "moved", "sm-moved", "same"];

describe("port state machine", () => {
  it("believes the reading: an inactive port has no endpoints, whatever the signal", () => {
    for (const signal of SIGNALS) {
      expect(stepPort("active", "inactive", signal)).toEqual({ next: "down", action: "close" });
      expect(stepPort("down", "inactive", signal)).toEqual({ next: "down", action: "none" });
    }
  });

  it("opens a port that is seen active, also by a reregister that comes before port-active", () => {
    for (const signal of SIGNALS) expect(stepPort("down", "moved", signal)).toEqual({ next: "active", action: "open" });
  });

  it.each([
    ["same", "port-active", "none"],
    ["same", "port-err", "reopen"],
    ["same", "lid-change", "announce"],
    ["same", "client-reregister", "announce"],
    ["same", "sm-change", "announce"],
    ["same", "refresh", "none"],
    ["same", "unknown", "tell"],
    ["sm-moved", "refresh", "announce"],
    ["sm-moved", "port-err", "reopen"],
    ["moved", "refresh", "reopen"],
    ["moved", "pkey-change", "reopen"],
  ] as const)("active port seen %s on %s: %s", (sight, signal, action) => {
    expect(stepPort("active", sight, signal)).toEqual({ next: "active", action });
  });

  it("keeps phase and actions in step over any order of events", () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed % below;
    };
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
    let phase: PortPhase = "down";
    let isOpen = false;
    for (let step = 0; step < 5000; step += 1) {
      const { next, action } = stepPort(phase, pick(SIGHTS), pick(SIGNALS));
      if (action === "open") expect(isOpen).toBe(false);
      if (action !== "open" && action !== "none") expect(isOpen).toBe(true);
      if (action === "open") isOpen = true;
      if (action === "close") isOpen = false;
      phase = next;
      expect(phase === "active").toBe(isOpen);
    }
  });
});
