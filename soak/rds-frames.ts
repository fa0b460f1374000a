// pnpm soak rds-frames [--steps N] [--seed N]
//
// N mutated recordings of RDS streams (default 10,000,000) through the parser of frames, and what it makes of them into an engine with a
// bound socket. Nothing but the parser's own error is thrown, and memory does not grow.
import { fuzzFrames } from "../packages/rds/test/support/fuzz-frames.js";
import { soakSettings } from "./lib/settings.js";

/** Garbage that the collector has not come to yet. */
const MAX_GROWTH = 64 << 20;

async function main(): Promise<void> {
  const { steps, random, replay } = soakSettings(10_000_000);
  const { problems, refused, frames, growth } = await fuzzFrames(steps, random);
  console.log(`${steps} streams: ${frames} frames, ${refused} streams refused, buffers grew by ${growth >> 10} KiB`);
  for (const problem of problems.slice(0, 30)) console.error(`soak rds-frames: ${problem}`);
  if (problems.length === 0 && growth <= MAX_GROWTH) return;
  console.error(`soak rds-frames: ${problems.length} problems; again with: ${replay}`);
  process.exitCode = 1;
}

void main();
