// pnpm soak front [--steps N] [--seed N]
//
// N requests (default 10,000,000) of four clients with 32 requests under way each, against the native front end, while names are flushed by
// lot: the provider writes its generation into the flow label, and no answer is older than the last flush that had returned before it was asked
// for. Then a hundredth as many clients that connect, ask once or not at all, and leave: those who stay are answered as before.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { raceGenerations } from "../packages/core/test/support/generation-race.js";
import { comeAndGo } from "../packages/core/test/support/passers-by.js";
import { soakSettings } from "./lib/settings.js";

const REQUESTS = 10_000_000;

const { steps, random, replay } = soakSettings(REQUESTS);

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "front-"));
  const path = join(folder, "s");
  const { handled, invalidations, stale } = await raceGenerations(path, steps, random);
  console.log(`${steps} requests, ${steps - handled} answered from the table, ${invalidations} flushes`);
  const passers = Math.max(1, Math.round(steps / 100));
  const problems = [...stale, ...(await comeAndGo(path, passers, random))];
  console.log(`${passers} clients came and went`);
  rmSync(folder, { recursive: true });
  for (const problem of problems.slice(0, 30)) console.error(`soak front: ${problem}`);
  if (problems.length === 0) return;
  console.error(`soak front: ${problems.length} problems; again with: ${replay}`);
  process.exitCode = 1;
}

void main();
