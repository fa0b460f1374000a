// pnpm soak rds-attach [--steps N] [--seed N]
//
// N mutated conversations (default 10,000,000), of programs to a stack and of a stack to programs. Nothing but coded errors is thrown, no socket and no
// timer is left behind, memory does not grow, and other programs on the same stack notice nothing.
import { fuzzAttach } from "../packages/rds/test/support/fuzz-attach.js";
import { soakSettings } from "./lib/settings.js";

/** Garbage that the collector has not come to yet. */
const MAX_GROWTH = 64 << 20;

async function main(): Promise<void> {
  const { steps, random, replay } = soakSettings(10_000_000);
  const { problems, cut, answers, growth } = await fuzzAttach(steps, random);
  const ended = `${cut.byStack} cut off by the stack, ${cut.byProgram} by programs`;
  console.log(`${steps} conversations: ${answers} answers, ${ended}, buffers grew by ${growth >> 10} KiB`);
  for (const problem of problems.slice(0, 30)) console.error(`soak rds-attach: ${problem}`);
  if (problems.length === 0 && growth <= MAX_GROWTH) return;
  console.error(`soak rds-attach: ${problems.length} problems; again with: ${replay}`);
  process.exitCode = 1;
}

void main();
