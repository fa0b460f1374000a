// pnpm soak acm-storm [--steps N]
//
// 1,000 hosts in one base group, each asked for 20 others, with the multicast address protocol alone; N is the number of resolutions (default
// 20,000). Every answer has the LID that the fabric says. Prints packets per resolution, memory per entry learnt, and CPU. All hosts are in
// one process, which hears each packet once for every host, some 30 ms in all: so one host asks at a time, for one of its others at a time,
// or repeats would be sent for want of processor, not of answers.
import { storm } from "../packages/provider-acm/test/support/storm.js";
import { soakSettings } from "./lib/settings.js";

const ASKED = 20;
const HOSTS = 1_000;
/** Each host asks for others only. */
const FEWEST = ASKED + 1;
const PACE = { atOnce: 1, outstanding: 1 } as const;
const DEADLINE_MS = 30_000;

async function main(): Promise<void> {
  const { steps, replay } = soakSettings(HOSTS * ASKED);
  const hosts = Math.max(FEWEST, Math.round(steps / ASKED));
  const { problems, figures } = await storm({ hosts, asked: ASKED, ...PACE, deadlineMs: DEADLINE_MS });
  console.log(figures.join("\n"));
  for (const problem of problems.slice(0, 30)) console.error(`soak acm-storm: ${problem}`);
  if (problems.length === 0) return;
  console.error(`soak acm-storm: ${problems.length} problems; again with: ${replay}`);
  process.exitCode = 1;
}

void main();
