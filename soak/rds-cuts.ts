// pnpm soak rds-cuts [--steps N] [--seed N]
//
// Two RDS stacks over TCP on a simulated network that delays, cuts into pieces, and breaks the connection at any byte, a thousand times during N
// messages (default 1,000,000) of six flows: every message arrives exactly once and in order, and what is queued stays within the send buffers.
import { runCuts } from "../packages/rds/test/tcp/cuts.js";
import { soakSettings } from "./lib/settings.js";

const MESSAGES = 1_000_000;
const MESSAGES_A_CUT = 1000;
/** Six sockets' limits, each with one message above it. */
const MOST_QUEUED = 3 * (64 * 1024 + 8192);

const { steps, random, replay } = soakSettings(MESSAGES);

async function main(): Promise<void> {
  const wanted = Math.max(1, Math.round(steps / MESSAGES_A_CUT));
  const { cuts, connections, repeated, mostQueued, problems } = await runCuts({
    messages: steps,
    cuts: wanted,
    random,
  });
  console.log(
    `${steps} messages, ${cuts} cuts, ${connections} connections, ${repeated} repeated ones dropped, ${mostQueued} bytes queued at most`,
  );
  const all = [...problems];
  if (cuts < wanted) all.push(`${cuts} cuts of ${wanted}`);
  if (mostQueued > MOST_QUEUED) all.push(`${mostQueued} bytes were queued, more than ${MOST_QUEUED}`);
  for (const problem of all) console.error(`soak rds-cuts: ${problem}`);
  if (all.length === 0) return;
  console.error(`soak rds-cuts: again with: ${replay}`);
  process.exitCode = 1;
}

void main();
