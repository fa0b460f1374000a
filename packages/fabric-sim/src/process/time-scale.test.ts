import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeServiceRecord, Gid, PKey } from "@verbena/ib";
import { failureOf } from "../../test/failure-of.js";
import { removeTempDirs, tempDir } from "../../test/temp-dir.js";
import { systemServices } from "../fabric/services.js";
import { ServiceRegistry } from "../sa/service-registry.js";
import { checkTimeScale, fabricTimeScale, publishTimeScale } from "./time-scale.js";

afterEach(removeTempDirs);

it("an hour's lease ends after a second of a clock that is 3600 times faster", async () => {
  const { clock } = systemServices(1, 3600);
  const registry = new ServiceRegistry(clock);
  const startMs = clock.now();
  const reallyMs = performance.now();
  registry.register(
    encodeServiceRecord({
      serviceId: 1n,
      serviceGid: Gid.parse("fe80::1"),
      servicePkey: PKey.DEFAULT,
      serviceLease: 3600,
      serviceKey: Buffer.alloc(16),
      serviceName: "an hour",
      serviceData: Buffer.alloc(64),
    }),
  );
  const at = (ms: number) => new Promise<void>((settle) => void clock.schedule(ms, settle));
  await at(1_800_000);
  expect(registry.all()).toHaveLength(1);
  await at(3_600_000);
  expect(registry.all()).toEqual([]);
  expect(clock.now() - startMs).toBeGreaterThanOrEqual(5_300_000);
  expect(performance.now() - reallyMs).toBeLessThan(30_000);
}, 60_000);

it("programs find the scale of a fabric in its directory, and ordinary time where there is none", () => {
  const dir = tempDir();
  expect(fabricTimeScale(dir)).toBe(1);
  const remove = publishTimeScale(dir, 60);
  expect(fabricTimeScale(dir)).toBe(60);
  remove();
  expect(fabricTimeScale(dir)).toBe(1);
  writeFileSync(join(dir, "time-scale"), "-1e9");
  expect(fabricTimeScale(dir)).toBe(1);
  expect(fabricTimeScale(join(dir, "none"))).toBe(1);
});

it.each([0, 1.5, 3601, Number.NaN])("%p is no time scale", (scale) => {
  expect(failureOf(() => checkTimeScale(scale))).toMatchObject({ code: "VERBENA_SIM_OPTION" });
});
