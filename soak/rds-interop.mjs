// pnpm soak rds-interop [--steps N]
//
// RDS over TCP between our engine and the kernel's in the virtual machine: N messages each way at once (default 100,000), 99 of 100 up to 8 KiB and
// the others up to 1 MiB, numbered and with checksums, as the smaller and as the larger address. The rung vm runs 2000 of them with every change, so
// fewer than that are not run again.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../scripts/lib/paths.mjs";
import { runVmSuites } from "../scripts/lib/vm/rung.mjs";

const SUITE = "test/vm/rds-interop.test.ts";
const RUNG_MESSAGES = 2000;
/** Under emulation a message takes milliseconds. */
const SECONDS = 3000;

const { values } = parseArgs({ options: { steps: { type: "string" }, seed: { type: "string" } } });
const scale = Number(process.env.VERBENA_SOAK_SCALE ?? "1");
const messages = values.steps === undefined ? Math.round(100_000 * scale) : Number(values.steps);
if (messages < RUNG_MESSAGES) {
  console.log(`${messages} messages each way: the rung vm runs ${RUNG_MESSAGES}, so there is nothing to do here`);
} else {
  const begun = performance.now();
  const output = join(root, "build/vm-soak/rds-interop.json");
  const { passed, failed, reason } = await runVmSuites(output, ["-t", "messages of all sizes"], [SUITE], {
    extra: { RDS_INTEROP_MESSAGES: String(messages) },
    folder: "build/vm-soak",
    seconds: SECONDS,
  });
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.log(`${messages} messages each way, ${passed} of 2 address orders passed, ${failed} failed, ${seconds} s`);
  if (reason !== undefined) console.error(`soak rds-interop: ${reason}`);
  if (passed !== 2 || failed > 0 || reason !== undefined) process.exitCode = 1;
}
