import { VirtualClock } from "@verbena/core/testing";
import type { Gid } from "@verbena/ib";
import { FAMILIES } from "../../test/support/families.js";
import { gidOf, ip } from "../../test/support/parts.js";
import { zeroCounts } from "../protocol/counts.js";
import { DuplicateWatch } from "./duplicate-watch.js";

function rig() {
  const warnings: (readonly [string, unknown])[] = [];
  const metrics: string[] = [];
  const none = (): void => undefined;
  const logger = {
    debug: none,
    info: none,
    error: none,
    warn: (text: string, fields: unknown) => warnings.push([text, fields]),
    child: () => logger,
  };
  const counts = zeroCounts();
  const clock = new VirtualClock();
  const watch = new DuplicateWatch({
    clock,
    endpoint: "sim0/1/0xffff",
    logger,
    metrics: { increment: (name) => metrics.push(name), observe: none },
    counts,
    isOwnGid: (gid: Gid) => gid === gidOf(1) || gid === gidOf(2),
  });
  return { clock, warnings, metrics, counts, watch };
}

describe.each(FAMILIES)("$family", ({ host }) => {
  describe("an address that two hosts answer for", () => {
    it("is reported once for each pair, and counted each time", () => {
      const { warnings, metrics, counts, watch } = rig();
      watch.report(ip(host(9)), gidOf(3), gidOf(4));
      watch.report(ip(host(9)), gidOf(4), gidOf(3));
      watch.report(ip(host(9)), gidOf(3), gidOf(5));
      expect(warnings.map(([text]) => text)).toEqual(Array(2).fill(`two hosts answer for ${host(9)}`));
      expect(warnings[0]?.[1]).toMatchObject({ first: "fe80::10:3", second: "fe80::10:4" });
      expect([counts.duplicates, metrics]).toEqual([3, Array(3).fill("verbena_acm_duplicates_total")]);
    });

    it("is none of two hosts when both ports are of this one", () => {
      const { warnings, counts, watch } = rig();
      watch.report(ip(host(1)), gidOf(1), gidOf(2));
      expect([warnings.length, counts.duplicates]).toEqual([0, 0]);
    });

    it("is news again when addresses have changed hands", () => {
      const { warnings, watch } = rig();
      watch.report(ip(host(9)), gidOf(3), gidOf(4));
      watch.forget();
      watch.report(ip(host(9)), gidOf(3), gidOf(4));
      expect(warnings).toHaveLength(2);
    });

    it("is listed with its age until it has not been seen for a day", async () => {
      const { clock, warnings, watch } = rig();
      watch.report(ip(host(9)), gidOf(3), gidOf(4));
      await clock.advance(3_600_000);
      watch.report(ip(host(9)), gidOf(4), gidOf(3));
      await clock.advance(24 * 3_600_000);
      const conflict = { address: host(9), first: gidOf(3), second: gidOf(4), ageMs: 24 * 3_600_000 };
      expect(watch.list()).toEqual([conflict]);
      await clock.advance(1);
      expect(watch.list()).toEqual([]);
      watch.report(ip(host(9)), gidOf(3), gidOf(4));
      expect([warnings.length, watch.list()[0]?.ageMs]).toEqual([2, 0]);
    });
  });
});
